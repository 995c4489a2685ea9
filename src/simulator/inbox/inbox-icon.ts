/** The page's icon: a speech bubble with three dots. */
export const INBOX_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#2563eb"/>
<path d="M16 7c-5.5 0-10 3.6-10 8 0 2.3 1.2 4.4 3.2 5.8L8.5 25l4.3-2.3c1 .2 2.1.3 3.2.3 5.5 0 10-3.6 10-8s-4.5-8-10-8z" fill="#fff"/>
<g fill="#2563eb"><circle cx="11.5" cy="15" r="1.6"/><circle cx="16" cy="15" r="1.6"/><circle cx="20.5" cy="15" r="1.6"/></g>
</svg>
`;
