import { RE2JS } from 're2js'
import { formOf, membersOf, numberOf, textOf, written, type Value } from './values.ts'

/** A part of a format: how a value is written. */
interface Spec {
  readonly fill: string
  readonly align: string
  readonly sign: string
  readonly width: number
  readonly precision: number | null
  readonly type: string
}

const SPEC = /^(?:(.)?([<>^=]))?([+ ]?)(0?)(\d*)(?:\.(\d+))?([sdfFr%]?)$/su
const PERCENT = /%(?:\((\w+)\))?([-+ 0]*)(\d*)(?:\.(\d+))?([sdifFr%])/gu
const FIELD = RE2JS.compile('\\{\\{|\\}\\}|\\{(\\w*)(?:!([rs]))?(?::([^{}]*))?\\}|[{}]')
const MOST_WIDTH = 10_000

/** Writes values into a text as Python's `%` does: `%s`, `%r`, `%d`, `%f` with flags, width and precision. */
export function formatPercent(text: string, values: readonly Value[]): string {
  let next = 0
  const [first] = values
  const named = first === undefined ? null : membersOf(first)
  const done = text.replaceAll(
    PERCENT,
    (_, name: string | undefined, flags: string, width: string, precision: string | undefined, type: string) => {
      if (type === '%') return '%'
      const value = name === undefined ? values[next++] : named?.get(name)
      if (value === undefined) throw new Error('formats with too few values')
      const isLeft = flags.includes('-')
      const isZero = flags.includes('0') && !isLeft
      return format(value, {
        fill: isZero ? '0' : ' ',
        align: isLeft ? '<' : isZero ? '=' : '>',
        sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '',
        width: widthOf(width),
        precision: precision === undefined ? null : Number(precision),
        type: type === 'i' ? 'd' : type,
      })
    },
  )
  if (named === null && next < values.length) throw new Error('formats with too many values')
  return done
}

/**
 * Writes values into a text as Python's `str.format` does: fields by place or name, `!r`, and fill, alignment, sign, width,
 * precision and the types s, d, f and %.
 */
export function formatFields(text: string, values: readonly Value[]): string {
  const last = values.at(-1)
  const named = last?.type === 'KeywordArgumentsValue' ? membersOf(last) : null
  const placed = named === null ? values : values.slice(0, -1)
  const matcher = FIELD.matcher(text)
  let done = ''
  let at = 0
  let next = 0
  while (matcher.find()) {
    done += text.slice(at, matcher.start())
    at = matcher.end()
    const found = matcher.group() ?? ''
    if (found === '{{' || found === '}}') {
      done += found.charAt(0)
      continue
    }
    if (found === '{' || found === '}') throw new Error('formats by a field that is not supported')
    const name = matcher.group(1) ?? ''
    const value = name === '' ? placed[next++] : /^\d+$/.test(name) ? placed[Number(name)] : named?.get(name)
    if (value === undefined) throw new Error(`formats without a value for {${name}}`)
    const spec = readSpec(matcher.group(3) ?? '', value)
    if (spec.type === 'd' && value.type === 'FloatValue') throw new Error('formats a float by "d"')
    done += matcher.group(2) === 'r' ? format(value, { ...spec, type: 'r' }) : format(value, spec)
  }
  return done + text.slice(at)
}

function readSpec(text: string, value: Value): Spec {
  const found = SPEC.exec(text)
  if (found === null) throw new Error(`formats by ${JSON.stringify(text)}, which is not supported`)
  const [, fill, align, sign = '', zero, width = '', precision, type = ''] = found
  return {
    fill: fill ?? (zero === '0' ? '0' : ' '),
    align: align ?? (zero === '0' ? '=' : typeof value.value === 'number' ? '>' : '<'),
    sign,
    width: widthOf(width),
    precision: precision === undefined ? null : Number(precision),
    type,
  }
}

function widthOf(text: string): number {
  if (Number(text) > MOST_WIDTH) throw new Error(`formats with a width above ${MOST_WIDTH}`)
  return Number(text)
}

function format(value: Value, { fill, align, sign, width, precision, type }: Spec): string {
  const { mark, body } = bodyOf(value, { sign, precision, type })
  const missing = Math.max(0, width - Array.from(mark + body).length)
  if (align === '=') return mark + fill.repeat(missing) + body
  const before = align === '>' ? missing : align === '^' ? Math.floor(missing / 2) : 0
  return fill.repeat(before) + mark + body + fill.repeat(missing - before)
}

/** The sign and the rest of a written value. */
function bodyOf(value: Value, { sign, precision, type }: Pick<Spec, 'sign' | 'precision' | 'type'>) {
  const number = textOf(value) === null ? numberOf(value) : null
  if (type === 'r') return { mark: '', body: formOf(value) }
  if (type === 's' || (type === '' && (number === null || typeof value.value === 'boolean'))) {
    const text = written(value)
    return { mark: '', body: precision === null ? text : Array.from(text).slice(0, precision).join('') }
  }
  if (number === null) throw new Error(`formats a value that is no number by ${JSON.stringify(type)}`)
  const size = Math.abs(number)
  const mark = number < 0 ? '-' : sign
  if (type === 'd')
    return { mark: Math.trunc(number) === 0 ? mark.replace('-', '') : mark, body: String(Math.trunc(size)) }
  if (type === '%') return { mark, body: `${fixed(size * 100, precision ?? 6)}%` }
  if (type === '' && precision !== null) throw new Error('formats a number with a precision and no type')
  return { mark, body: type === '' ? written(value).replace(/^-/, '') : fixed(size, precision ?? 6) }
}

/** A number with so many decimals. Exact halves go to the even digit, as in Python; `toFixed` takes them up. */
function fixed(size: number, decimals: number): string {
  const scaled = size * 10 ** decimals
  const isHalf = scaled % 1 === 0.5 && Number.isInteger(size * 2 ** (decimals + 1))
  return (isHalf ? (2 * Math.round(scaled / 2)) / 10 ** decimals : size).toFixed(decimals)
}
