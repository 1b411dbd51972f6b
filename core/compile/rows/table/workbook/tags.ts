import { broken } from './unpack.ts'

/** Most tags of one name that are looked at. */
export const MOST_TAGS = 10_000

/** Attributes of the tags of one name, by their names without a prefix. */
export function tagsOf(part: Buffer | undefined, name: string): readonly ReadonlyMap<string, string>[] {
  if (part === undefined) throw broken(new Error('a part is missing'))
  const tags = part.toString('utf8').matchAll(new RegExp(`<(?:\\w+:)?${name}(?=[\\s/>])([^<>]*)>`, 'g'))
  return Array.from(tags)
    .slice(0, MOST_TAGS)
    .map(([, text = '']) => {
      const attributes = text.matchAll(/(?<![\w:])(?:\w+:)?(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)
      return new Map(Array.from(attributes, ([, key = '', double, single]) => [key, unescaped(double ?? single ?? '')]))
    })
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replaceAll(/&(#x?[0-9a-f]+|\w+);/gi, (whole, name: string) => {
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    if (name.startsWith('#')) return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    return ENTITIES[name] ?? whole
  })
}
