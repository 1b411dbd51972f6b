/** Gives names that are free in one function, in the style of a language. */
export class Names {
  readonly #taken: Set<string>
  readonly #style: 'snake' | 'camel'

  constructor(style: 'snake' | 'camel', reserved: Iterable<string>) {
    this.#style = style
    this.#taken = new Set(reserved)
  }

  /** Returns a name near the wanted one and takes it. */
  fresh(wanted: string, fallback = 'value'): string {
    const base = styled(wanted, this.#style) || fallback
    let name = base
    for (let number = 2; this.#taken.has(name); number++) name = `${base}${this.#style === 'snake' ? '_' : ''}${number}`
    this.#taken.add(name)
    return name
  }
}

/** The words of a text as an identifier; empty for a text without ASCII letters. */
export function styled(text: string, style: 'snake' | 'camel'): string {
  const words = text
    .normalize('NFKD')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  if (words === null) return ''
  const first = words.findIndex((word) => /^[a-z]/.test(word))
  if (first === -1) return ''
  const kept = words.slice(first).join(' ').slice(0, 40).trim().split(' ')
  if (style === 'snake') return kept.join('_')
  return kept.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('')
}
