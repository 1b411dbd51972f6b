import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'

/** A text as a TypeScript string. */
export function tsString(text: string): string {
  let out = ''
  for (const char of text) {
    const codePoint = char.codePointAt(0) ?? 0
    if (char === "'" || char === '\\') out += `\\${char}`
    else if (char === '\n') out += '\\n'
    else if (char === '\r') out += '\\r'
    else if (char === '\t') out += '\\t'
    else if (/[\p{L}\p{N}\p{P}\p{S} ]/u.test(char)) out += char
    else out += codePoint < 0x10000 ? `\\u${codePoint.toString(16).padStart(4, '0')}` : `\\u{${codePoint.toString(16)}}`
  }
  return `'${out}'`
}

/** A JSON value as TypeScript. */
export function tsLiteral(value: Json | undefined): string {
  if (value === undefined) return 'undefined'
  if (typeof value === 'string') return tsString(value)
  if (value === null || typeof value !== 'object') return Object.is(value, -0) ? '0' : String(value)
  if (!isJsonObject(value)) return `[${value.map((item) => tsLiteral(item)).join(', ')}]`
  return `{${Object.entries(value)
    .map(([name, member]) => ` ${propertyName(name)}: ${tsLiteral(member)}`)
    .join(',')} }`.replace(/^\{ \}$/, '{}')
}

/** The name of a property; `__proto__` as it is would set the prototype. */
export function propertyName(name: string): string {
  if (name === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : tsString(name)
}

/** The inside of a template. */
export function inTemplate(text: string): string {
  return tsString(text).slice(1, -1).replaceAll("\\'", "'").replaceAll('`', '\\`').replaceAll('${', '\\${')
}
