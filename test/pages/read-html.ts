import { parse, type DefaultTreeAdapterTypes } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** Attributes whose value is an address. */
const ADDRESSES = new Set(['href', 'src', 'action', 'data-challenge']);

/** Returns all elements of a document, in their order, as a browser would read it. */
export function readElements(document: string): Element[] {
  return elementsOf(parse(document));
}

function elementsOf(node: Node): Element[] {
  const children = 'childNodes' in node ? node.childNodes.flatMap(elementsOf) : [];
  return 'tagName' in node ? [node, ...children] : children;
}

/**
 * Returns the structure of a document without any value: tags with the names of their attributes,
 * and schemes with the names of the addresses.
 */
export function readShape(document: string): string[] {
  return shapeOf(readElements(document));
}

export function shapeOf(elements: readonly Element[]): string[] {
  return elements.map(
    ({ tagName, attrs }) => `${tagName} ${attrs.map(({ name }) => name).join(' ')}`,
  );
}

/** Returns the schemes of all addresses. Relative ones have that of the page. */
export function schemesOf(elements: readonly Element[]): Set<string> {
  const addresses = elements.flatMap(({ attrs }) =>
    attrs.filter(({ name }) => ADDRESSES.has(name)),
  );
  return new Set(
    addresses.map(({ value }) => new URL(value, 'https://app.example/second-factor/').protocol),
  );
}

/** Returns the value of an attribute of the first element that has the attribute `id`. */
export function readAttribute(document: string, id: string, name: string): string | null {
  const element = readElements(document).find(({ attrs }) =>
    attrs.some((attribute) => attribute.name === 'id' && attribute.value === id),
  );
  return element?.attrs.find((attribute) => attribute.name === name)?.value ?? null;
}

/** Returns the ids of all elements. */
export function readIds(document: string): string[] {
  return readElements(document).flatMap(({ attrs }) =>
    attrs.filter(({ name }) => name === 'id').map(({ value }) => value),
  );
}
