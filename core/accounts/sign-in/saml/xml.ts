import { createRequire } from 'node:module'

/** The little of a DOM node that is read here. The library's own declarations would bring a browser's globals along. */
interface XmlNode {
  readonly nodeType: number
  readonly textContent: string | null
  readonly childNodes: ArrayLike<XmlNode>
}

/** An element of a parsed document. */
export interface XmlElement extends XmlNode {
  readonly localName: string
  readonly namespaceURI: string | null
  readonly attributes: ArrayLike<{ readonly name: string; readonly value: string }>
  readonly parentNode: XmlNode | null
  hasAttribute(name: string): boolean
  getAttribute(name: string): string | null
}

interface XmlDom {
  readonly DOMParser: new (options: { readonly errorHandler: (level: string, message: string) => void }) => {
    parseFromString(text: string, mediaType: string): { readonly documentElement: XmlElement | null }
  }
}

const require = createRequire(import.meta.url)
/** The parser that the SAML library itself uses, so that both read a document alike. */
const { DOMParser }: XmlDom = require('@xmldom/xmldom')

const ELEMENT = 1

/**
 * More than any real response or metadata holds: each of the up to 1,000 groups takes two tags. The parser's time and
 * memory grow with the square of the distinct names and of the prefixes in scope, and unauthenticated callers send
 * responses.
 */
const MAX_TAGS = 4000
const MAX_ATTRIBUTES = 4000
const MAX_NAMES = 200
const MAX_PREFIXES = 50
const MAX_DEPTH = 50

/** Thrown for text that is not well-formed, declares a document type, or exceeds the size limit. */
export class XmlError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'XmlError'
  }
}

/**
 * Parses a document and returns its root. Before the parser runs, a document type is refused (SAML uses no entities),
 * and so is a document built to occupy the parser; text that the parser only warns of is refused too. Throws
 * `XmlError`.
 */
export function parseXml(text: string): XmlElement {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw new XmlError('a document type is not allowed')
  requireModest(text)
  const parser = new DOMParser({
    errorHandler: (level) => {
      throw new XmlError(`not well-formed (${level})`)
    },
  })
  let root: XmlElement | null | undefined
  try {
    root = parser.parseFromString(text, 'text/xml')?.documentElement
  } catch (error) {
    throw error instanceof XmlError ? error : new XmlError('not well-formed')
  }
  if (root === null || root === undefined) throw new XmlError('there is no element')
  requireShallow(root)
  return root
}

/** Counts in the raw text, where nothing can be hidden: a tag begins with `<`, and a prefix is declared by its name. */
function requireModest(text: string): void {
  const names = new Set<string>()
  let tags = 0
  for (const [, name = ''] of text.matchAll(/<\/?([^\s<>/]*)/g)) {
    tags += 1
    names.add(name)
    if (tags > MAX_TAGS || names.size > MAX_NAMES) throw new XmlError('there are too many elements')
  }
  // Each attribute has one, and texts a few.
  let attributes = 0
  for (let at = text.indexOf('='); at !== -1; at = text.indexOf('=', at + 1)) {
    if (++attributes > MAX_ATTRIBUTES) throw new XmlError('there are too many attributes')
  }
  const prefixes = new Set<string>()
  for (const [declaration] of text.matchAll(/xmlns:[^\s=<>]*/g)) {
    prefixes.add(declaration)
    if (prefixes.size > MAX_PREFIXES) throw new XmlError('there are too many namespaces')
  }
}

/** The library and its callers walk the tree recursively. */
function requireShallow(root: XmlElement): void {
  let level: readonly XmlElement[] = [root]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new XmlError('elements are nested too deeply')
    level = level.flatMap(childElements)
  }
}

/** The elements directly below one. */
export function childElements(parent: XmlElement): readonly XmlElement[] {
  return Array.from(parent.childNodes).filter(isElement)
}

/** The elements of this name directly below one. */
export function childrenNamed(parent: XmlElement, namespace: string, name: string): readonly XmlElement[] {
  return childElements(parent).filter((child) => isNamed(child, namespace, name))
}

/** An element and all elements below it, in the order of the document. */
export function* walkElements(root: XmlElement): Generator<XmlElement> {
  yield root
  for (const child of childElements(root)) yield* walkElements(child)
}

/** Returns true when an element has this name in this namespace. */
export function isNamed(element: XmlElement, namespace: string, name: string): boolean {
  return element.namespaceURI === namespace && element.localName === name
}

/** An element's text without the white space around it; empty for none. */
export function textOf(element: XmlElement | undefined): string {
  return (element?.textContent ?? '').trim()
}

/** An attribute's value; undefined when it is absent or empty. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  const value = element.hasAttribute(name) ? element.getAttribute(name) : null
  return value === null || value === '' ? undefined : value
}

function isElement(node: XmlNode): node is XmlElement {
  return node.nodeType === ELEMENT
}
