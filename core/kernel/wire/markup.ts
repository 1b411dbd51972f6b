/** HTML or XML that was made by `markup`, so every text in it is escaped. */
export class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** Parts of a template: markup as it is, texts and numbers escaped, nothing for the others. */
export type Part = Markup | string | number | false | null | undefined | readonly Part[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Characters that XML 1.0 cannot hold, even escaped. */
// oxlint-disable-next-line no-control-regex -- these are the ones
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Escapes a text for elements and quoted attributes of HTML and XML. */
export function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(UNWRITABLE, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** Template tag for HTML and XML: escapes the values in it, unless they are markup. Attributes need quotes. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const texts = strings.map((text, i) => text + (i < parts.length ? textOf(parts[i]) : ''))
  return new Markup(texts.join(''))
}

function textOf(part: Part): string {
  if (part instanceof Markup) return part.toString()
  if (typeof part === 'string') return escapeText(part)
  if (typeof part === 'number') return String(part)
  return Array.isArray(part) ? part.map(textOf).join('') : ''
}
