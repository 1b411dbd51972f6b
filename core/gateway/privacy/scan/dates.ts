const MONTHS =
  'jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|f[ée]v(?:rier)?|mar(?:ch|s)?|m[äa]rz|apr(?:il)?|avr(?:il)?|may|mai|june?|juni|juin|july?|juli|juillet|aug(?:ust)?|ao[ûu]t|sept?(?:ember|embre)?|oct(?:ober|obre)?|okt(?:ober)?|nov(?:ember|embre)?|dec(?:ember)?|dez(?:ember)?|d[ée]c(?:embre)?'
const NUMERIC = /(\d{1,4})([-/.])(\d{1,2})\2(\d{2,4})(?![\d-])/y
const DAY_FIRST = new RegExp(`(\\d{1,2})(?:st|nd|rd|th|\\.)?[ -](?:of )?(?:${MONTHS})\\.?,?[ -](\\d{4})(?!\\d)`, 'iy')
/** From the day on: the month stands before it. */
const DAY_AFTER_MONTH = /(\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)/iy
const MONTH_BEFORE = new RegExp(`(?<![\\p{L}])(?:${MONTHS})\\.? $`, 'iu')
const FIRST_YEAR = 1890
const LAST_YEAR = 2100

/** A date in a text: where it begins and ends. */
interface FoundDate {
  readonly start: number
  readonly end: number
}

/** Returns the date whose first digits stand at a place; null when they begin none. */
export function dateAt(text: string, at: number): FoundDate | null {
  NUMERIC.lastIndex = at
  const numeric = NUMERIC.exec(text)
  if (numeric !== null) return isDate(numeric) ? { start: at, end: NUMERIC.lastIndex } : null
  DAY_FIRST.lastIndex = at
  const spelled = DAY_FIRST.exec(text)
  if (spelled !== null && isDay(spelled[1]) && isYear(spelled[2])) return { start: at, end: DAY_FIRST.lastIndex }
  if (text.charAt(at - 1) !== ' ') return null
  DAY_AFTER_MONTH.lastIndex = at
  const day = DAY_AFTER_MONTH.exec(text)
  if (day === null || !isDay(day[1]) || !isYear(day[2])) return null
  const end = DAY_AFTER_MONTH.lastIndex
  const month = MONTH_BEFORE.exec(text.slice(Math.max(0, at - 12), at))
  return month === null ? null : { start: at - month[0].length, end }
}

function isDate([, first = '', , second = '', third = '']: RegExpExecArray): boolean {
  if (first.length === 4) return isYear(first) && isMonth(second) && isDay(third) && third.length <= 2
  if (first.length === 3 || third.length === 3) return false
  const inOrder = (isMonth(first) && isDay(second)) || (isDay(first) && isMonth(second))
  return inOrder && (third.length === 2 || isYear(third))
}

function isDay(text: string | undefined): boolean {
  return Number(text) >= 1 && Number(text) <= 31
}

function isMonth(text: string): boolean {
  return Number(text) >= 1 && Number(text) <= 12
}

function isYear(text: string | undefined): boolean {
  return Number(text) >= FIRST_YEAR && Number(text) <= LAST_YEAR
}
