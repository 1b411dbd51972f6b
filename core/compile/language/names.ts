/** The version of the language. A program names it; an interpreter refuses a version it does not know. */
export const LANGUAGE = 'svc-recipe-1'
/** The next version: it holds all of the first and adds operators (see `Operator.since`). */
export const LANGUAGE_2 = 'svc-recipe-2'
export type Language = typeof LANGUAGE | typeof LANGUAGE_2

/** Named tokens. Each matches maximal runs, found by a linear scan; see docs/formats/recipe-language.md for the exact sets. */
export const TOKEN_NAMES = [
  'digits', // one or more decimal digits 0-9
  'lower', // one or more lower-case letters
  'upper', // one or more upper-case letters
  'alpha', // one or more letters
  'alnum', // one or more letters or digits
  'space', // one or more white space characters
  'word', // one or more letters, digits or underscores, with apostrophes and hyphens between them
  'proper', // an upper-case letter followed by one or more lower-case letters
  'number', // digits with optional groups of `,ddd`, an optional fraction, an optional sign
  'nonspace', // one or more characters that are not white space
  'punct', // one or more punctuation or symbol characters
  'line', // one or more characters that are not line breaks
  'start', // the empty match at the start of the text
  'end', // the empty match at the end of the text
  'anyDigits', // one or more decimal digits of any script
] as const
export type TokenName = (typeof TOKEN_NAMES)[number]

/** Named character classes, for keeping, removing and trimming characters. */
export const CLASS_NAMES = [
  'digit',
  'lower',
  'upper',
  'alpha',
  'alnum',
  'space',
  'punct',
  'mark',
  'ascii',
  'anyDigit',
] as const
export type ClassName = (typeof CLASS_NAMES)[number]

export const EDGES = ['start', 'end'] as const
export type Edge = (typeof EDGES)[number]

export const SIDES = ['both', 'start', 'end'] as const
export type Side = (typeof SIDES)[number]
/** Word boundaries for title case: between white space, as runs of letters, or letters with apostrophes inside. */
export const WORD_RULES = ['space', 'letters', 'word'] as const
export type WordRule = (typeof WORD_RULES)[number]
export const NORMAL_FORMS = ['nfc', 'nfd', 'nfkc', 'unaccent', 'asciiDigits'] as const
export type NormalForm = (typeof NORMAL_FORMS)[number]
/** Sums of digits from which numbers take their check digits: of cards, of goods, of books, and of others modulo 11. */
export const CHECK_SUMS = ['luhn', 'ean', 'isbn', 'mod11'] as const
export type CheckSum = (typeof CHECK_SUMS)[number]
/** Averages of a list of numbers. */
export const AVERAGES = ['mean', 'median'] as const
/** Rounding: the half modes round to the nearest and differ on ties (`halfUp` is away from zero). */
export const ROUND_MODES = ['halfUp', 'halfEven', 'halfDown', 'floor', 'ceil', 'truncate', 'expand'] as const
export type RoundMode = (typeof ROUND_MODES)[number]
export const SIGN_STYLES = ['negative', 'always', 'never', 'parentheses'] as const
export type SignStyle = (typeof SIGN_STYLES)[number]
export const ARITHMETIC_OPS = ['add', 'sub', 'mul', 'div', 'mod', 'pow', 'min', 'max'] as const
export type ArithmeticOp = (typeof ARITHMETIC_OPS)[number]
export const TIME_UNITS = [
  'years',
  'quarters',
  'months',
  'weeks',
  'days',
  'hours',
  'minutes',
  'seconds',
  'milliseconds',
] as const
export type TimeUnit = (typeof TIME_UNITS)[number]
export const DATE_PERIODS = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const
export type DatePeriod = (typeof DATE_PERIODS)[number]
export const DATE_PARTS = [
  'year',
  'quarter',
  'month',
  'day',
  'hour',
  'minute',
  'second',
  'millisecond',
  'weekday', // 1 Monday ... 7 Sunday
  'dayOfYear', // 1 ... 366
  'isoWeek',
  'isoWeekYear',
  'daysInMonth',
  'offsetMinutes',
  'unixSeconds',
  'unixMilliseconds',
] as const
export type DatePart = (typeof DATE_PARTS)[number]
export const TYPE_NAMES = ['null', 'boolean', 'number', 'text', 'list', 'object'] as const
export type TypeName = (typeof TYPE_NAMES)[number]
/** Widths of groups of digits: threes, or a three and twos before it (`12,34,567`). */
export const GROUP_WIDTHS = ['threes', 'indian'] as const
export type GroupWidths = (typeof GROUP_WIDTHS)[number]
export const DECIMAL_OPS = ['add', 'sub', 'mul'] as const
export type DecimalOp = (typeof DECIMAL_OPS)[number]
/** Names among those above that the second version of the language adds. */
export const NEW_NAMES: readonly string[] = ['anyDigits', 'anyDigit', 'asciiDigits']
/** A value a lookup case may be keyed by. */
export type Scalar = null | boolean | number | string

/** A set of characters: the members of the named classes and the characters of `chars`. */
export interface CharSet {
  readonly classes?: readonly ClassName[]
  readonly chars?: string
}
