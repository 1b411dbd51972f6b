import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'

/** A text as a Python string. */
export function pyString(text: string): string {
  let out = ''
  for (const char of text) {
    const codePoint = char.codePointAt(0) ?? 0
    if (char === '"' || char === '\\') out += `\\${char}`
    else if (char === '\n') out += '\\n'
    else if (char === '\r') out += '\\r'
    else if (char === '\t') out += '\\t'
    else if (/[\p{L}\p{N}\p{P}\p{S} ]/u.test(char)) out += char
    else if (codePoint < 256) out += `\\x${codePoint.toString(16).padStart(2, '0')}`
    else if (codePoint < 0x10000) out += `\\u${codePoint.toString(16).padStart(4, '0')}`
    else out += `\\U${codePoint.toString(16).padStart(8, '0')}`
  }
  return `"${out}"`
}

/** The source of a regular expression as a raw string; the source holds no line breaks. */
export function pyRaw(source: string, isFormatted = false): string {
  if (!source.includes('\\') && !isFormatted) return pyString(source)
  if (!source.includes('"')) return `${isFormatted ? 'f' : ''}r"${source}"`
  return `${isFormatted ? 'f' : ''}r"${source.replaceAll('"', '\\x22')}"`
}

/** A JSON value as Python. */
export function pyLiteral(value: Json): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return pyString(value)
  if (typeof value === 'number')
    return Object.is(value, -0) ? '0' : Math.abs(value) > 2 ** 53 ? pyFloat(value) : String(value)
  if (isJsonObject(value)) {
    return `{${Object.entries(value)
      .map(([name, member]) => `${pyString(name)}: ${pyLiteral(member)}`)
      .join(', ')}}`
  }
  return `[${value.map(pyLiteral).join(', ')}]`
}

function pyFloat(value: number): string {
  const text = String(value)
  return text.includes('e') || text.includes('.') ? text : `${text}.0`
}

/** Parts of a text, some of them code, as an f-string where the code fits into one. */
export function pyConcat(parts: readonly ({ readonly text: string } | { readonly code: string })[]): string {
  const coded = parts.map((part) => ('code' in part ? inFormat(part.code) : part))
  if (coded.some((part) => part === undefined)) {
    return parts.map((part) => ('text' in part ? pyString(part.text) : part.code)).join(' + ')
  }
  const body = parts.map((part, at) => {
    const fitted = coded[at]
    if ('text' in part) return pyString(part.text).slice(1, -1).replaceAll('{', '{{').replaceAll('}', '}}')
    return typeof fitted === 'string' ? `{${fitted}}` : ''
  })
  return `f"${body.join('')}"`
}

/** Code as it can stand inside an f-string; undefined where it cannot, in versions before 3.12. */
function inFormat(code: string): string | undefined {
  if (code.includes('\\') || code.includes("'") || /lambda|[{}#]/.test(code)) return undefined
  return code.replaceAll('"', "'")
}
