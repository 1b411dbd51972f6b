import type { Json } from '../../../kernel/json/json.ts'
import { MODEL_BOUNDS } from '../recipe/tabular-recipe.ts'
import { readIsoDate, readLocalDate, type DateOrder } from './read-dates.ts'
import { readLocalNumber, readNumber, type NumberForm } from './read-numbers.ts'

/** Share of the values of a column that must read as its kind; the others count as missing. */
const READABLE_SHARE = 0.9
const ORDERS: readonly DateOrder[] = ['dmy', 'mdy', 'ymd']
/** Digits with what stands before and after them; neither has a digit. */
const AROUND = /^[-+−]?\s*(\D*?)\s*[-+−]?(\d(?:.*\d)?)\s*(\D*)$/u
const CURRENCY_SIGN = /^(?:\p{Lu}{0,2}\p{Sc}|\p{Sc}\p{Lu}{0,2})$/u
/** Codes of currencies that are written before an amount as well (ISO 4217), and shorter names of them. */
const CURRENCIES = new Set(
  'AUD BRL CAD CHF CNY CZK DKK EUR Euro Fr. GBP HUF INR JPY Kč kr kr. KRW MXN NOK NZD PLN RON SEK SGD TRY USD ZAR zł'.split(
    ' ',
  ),
)
/** The comma or point of a number whose digits after it are exactly three: it may group digits. */
const GROUPED = { ',': /\d\.\d{3}(?!\d)/, '.': /\d,\d{3}(?!\d)/ } as const

/** Returns true when nearly all values read. */
export function mostRead(values: readonly Json[], isRead: (value: Json) => boolean): boolean {
  return countRead(values, isRead) >= values.length * READABLE_SHARE
}

function countRead(values: readonly Json[], isRead: (value: Json) => boolean): number {
  return values.reduce<number>((sum, value) => sum + Number(isRead(value)), 0)
}

/** The form in which nearly all values write numbers: none for JSON numbers and their texts; undefined where they do not. */
export function numberFormOf(values: readonly Json[]): { readonly form?: NumberForm } | undefined {
  const plain = countRead(values, (value) => !Number.isNaN(readNumber(value)))
  const affix = plain === values.length ? undefined : affixOf(values)
  if (affix !== undefined) {
    const texts = values.filter((value) => typeof value === 'string')
    const forms = ([',', '.'] as const).map((decimal) => {
      const form = { decimal, affix }
      const read = countRead(values, (value) => !Number.isNaN(readLocalNumber(value, form)))
      return { form, read, groups: texts.filter((text) => GROUPED[decimal].test(text)).length }
    })
    // Where both marks read all values, `1.234` is likelier a thousand than a number of three decimals.
    const [best] = forms.toSorted((a, b) => b.read - a.read || b.groups - a.groups)
    if (best !== undefined && best.read > plain && best.read >= values.length * READABLE_SHARE)
      return { form: best.form }
  }
  return plain >= values.length * READABLE_SHARE ? {} : undefined
}

/**
 * The one text that stands before or after the numbers of a column; empty for none, undefined where there are several. A text
 * that is no currency must stand after nearly every number: `12a` beside `14` is no number of a unit.
 */
function affixOf(values: readonly Json[]): string | undefined {
  const counts = new Map<string, number>()
  let numbers = 0
  for (const value of values) {
    const found = typeof value === 'string' ? AROUND.exec(value.trim()) : null
    if (found === null) continue
    const [, before = '', , after = ''] = found
    numbers++
    if (before !== '' && after !== '') return undefined
    if (before !== '' && !isCurrency(before)) continue
    const affix = before + after
    if (affix !== '') counts.set(affix, (counts.get(affix) ?? 0) + 1)
  }
  const [first, ...others] = [...counts].toSorted(([, a], [, b]) => b - a)
  if (first === undefined) return ''
  const [affix, count] = first
  if (others.length > 0 || affix.length > MODEL_BOUNDS.affixChars) return undefined
  return isCurrency(affix) || count >= numbers * READABLE_SHARE ? affix : undefined
}

function isCurrency(text: string): boolean {
  return CURRENCY_SIGN.test(text) || CURRENCIES.has(text)
}

/** The order in which nearly all values write dates: none for ISO 8601; undefined where they are no dates. */
export function dateFormOf(values: readonly Json[]): { readonly order?: DateOrder } | undefined {
  if (mostRead(values, (value) => readIsoDate(value) !== undefined)) return {}
  const orders = ORDERS.map((order) => ({
    order,
    read: countRead(values, (value) => readLocalDate(value, order) !== undefined),
  }))
  // Of equals the first: more countries write the day first.
  const [best] = orders.toSorted((a, b) => b.read - a.read)
  return best !== undefined && best.read >= values.length * READABLE_SHARE ? { order: best.order } : undefined
}
