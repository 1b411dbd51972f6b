import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { foldDateText } from '../../../../../core/compile/language/primitives/dates/reading/fold.ts'

// Writes the names of months, weekdays and halves of the day into docs/formats/date-names.json and the interpreter's table, and
// the names as they are written into the table of the synthesizer.
// The package is no dependency, since it is large and the table changes with a version of the language only:
//   npm pack cldr-dates-full@48.2.0 && tar xzf cldr-dates-full-48.2.0.tgz
//   npm run date-names -- package

const VERSION = '48.2.0'
const folder = resolve(process.argv[2] ?? 'package')
const LOCALES = 'en de fr es it pt nl sv da nb fi pl cs hu ro bg el ru uk tr ar he hi bn th vi id ja zh ko'.split(' ')
/** Words beside dates in common use that the patterns of CLDR do not have. */
const MORE_WORDS: Readonly<Record<string, string>> = {
  en: 'of the at on',
  de: 'uhr den dem am um',
  fr: 'le a',
  es: 'a las la el del horas',
  pt: 'de as a horas',
  it: 'alle ore il del',
  nl: 'om uur',
  sv: 'kl den',
  pl: 'godz roku r',
  ru: 'года',
  uk: 'року',
  zh: '星期 周',
}
/** Names beside those of CLDR: [locale, list, index, name]. */
const MORE_NAMES = [
  ['en', 'months', 8, 'sept'],
  ['en', 'weekdays', 1, 'tues'],
  ['en', 'weekdays', 3, 'thur'],
  ['en', 'weekdays', 3, 'thurs'],
] as const
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

type Texts = Readonly<Record<string, string>>
interface Forms<T> {
  readonly format: Readonly<Record<'wide' | 'abbreviated' | 'short', T>>
  readonly 'stand-alone': Readonly<Record<'wide' | 'abbreviated' | 'short', T>>
}
interface Gregorian {
  readonly months: Forms<Texts>
  readonly days: Forms<Texts>
  readonly dayPeriods: Forms<Texts>
  readonly eras: { readonly eraAbbr: Texts }
  readonly dateFormats: Readonly<Record<string, string>>
  readonly timeFormats: Readonly<Record<string, string>>
  readonly dateTimeFormats: Readonly<Record<string, string | Texts>>
  readonly 'dateTimeFormats-atTime': { readonly standard: Texts }
}

function gregorianOf(locale: string): Gregorian {
  const path = join(folder, 'main', locale, 'ca-gregorian.json')
  const file: { main: Record<string, { dates: { calendars: { gregorian: Gregorian } } }> } = JSON.parse(
    readFileSync(path, 'utf8'),
  )
  const found = file.main[locale]?.dates.calendars.gregorian
  if (found === undefined) throw new Error(`no calendar of ${locale}`)
  return found
}

/** A name as it is looked for: folded, without dots at its end; once more without any where it has some inside. */
function spellings(name: string): string[] {
  const folded = foldDateText(name)
    .trim()
    .replace(/[.॰]+$/u, '')
  const plain = folded.replaceAll('.', '').replaceAll(/ +/g, ' ')
  const tight = folded.replaceAll(/[. ]/g, '')
  return folded.includes('.') ? [folded, folded.replaceAll(' ', ''), plain, tight] : [folded]
}

function namesAt(forms: Forms<Texts>, keys: readonly string[]): string[] {
  const found = (['format', 'stand-alone'] as const).flatMap((use) =>
    (['wide', 'abbreviated', 'short'] as const).flatMap((width) =>
      keys.flatMap((key) => spellings(forms[use][width]?.[key] ?? '')),
    ),
  )
  // A number with a mark behind it, as in Japanese, is read by its mark.
  return [...new Set(found)].filter((name) => name !== '' && !/^\d+ ?\D?$/.test(name))
}

/** The literal texts of a pattern, each with the letter of the field that follows it at once. */
function literalsOf(pattern: string): { text: string; next: string }[] {
  return [...pattern.matchAll(/((?:'[^']*'|[^A-Za-z'{}])+)([A-Za-z]?)/gu)].map(([, text = '', next = '']) => ({
    text: text.replaceAll("'", ''),
    next,
  }))
}

function patternsOf(calendar: Gregorian): string[] {
  const texts = (formats: Readonly<Record<string, string | Texts>>) =>
    Object.entries(formats).flatMap(([key, value]) =>
      typeof value === 'string' && !/[wWQBG]/.test(key) && !/[wWQB]/.test(value.replaceAll(/'[^']*'/g, ''))
        ? [value]
        : [],
    )
  const available = calendar.dateTimeFormats['availableFormats']
  return [
    ...texts(calendar.dateFormats),
    ...texts(calendar.timeFormats),
    ...texts(calendar.dateTimeFormats),
    ...texts(calendar['dateTimeFormats-atTime'].standard),
    ...(typeof available === 'object' ? texts(available) : []),
  ]
}

function tableOf(locale: string) {
  const calendar = gregorianOf(locale)
  const literals = patternsOf(calendar).flatMap(literalsOf)
  const prefixes = [
    ...new Set(literals.flatMap(({ text, next }) => (/M|L/.test(next) ? (/\p{L}+$/u.exec(text)?.[0] ?? []) : []))),
  ].filter((prefix) => !/[年년]/u.test(prefix))
  const months = Array.from({ length: 12 }, (_, month) => {
    const names = namesAt(calendar.months, [String(month + 1)])
    return [...names, ...prefixes.flatMap((prefix) => names.map((name) => prefix + name))]
  })
  const weekdays = DAYS.map((day) => namesAt(calendar.days, [day]))
  for (const [of, list, index, name] of MORE_NAMES) {
    if (of === locale) (list === 'months' ? months : weekdays)[index]?.push(name)
  }
  const am = namesAt(calendar.dayPeriods, ['am', 'am-alt-variant'])
  const pm = namesAt(calendar.dayPeriods, ['pm', 'pm-alt-variant'])
  if (locale === 'en') {
    am.push(...spellings('a.m.'), 'a. m')
    pm.push(...spellings('p.m.'), 'p. m')
  }
  const words = [...literals.map(({ text }) => text), ...(MORE_WORDS[locale] ?? '').split(' ')]
  if (patternsOf(calendar).some((pattern) => /y{1,4} ?G|G ?y/.test(pattern)))
    words.push(calendar.eras.eraAbbr['1'] ?? '')
  const taken = new Set([...prefixes.map(foldDateText), ...'年 月 日 时 時 分 秒 년 월 일 시 분 초'.split(' ')])
  const fillers = [...new Set(words.flatMap((text) => foldDateText(text).match(/[\p{L}\p{M}][\p{L}\p{M}.]*/gu) ?? []))]
    .map((word) => word.replace(/[.]+$/, ''))
    .filter((word) => word !== '' && !taken.has(word))
  return {
    months,
    weekdays,
    am: [...new Set(am)],
    pm: [...new Set(pm)],
    words: [...new Set(fillers)].toSorted(),
  }
}

/** Lists of the twelve months and seven weekdays as dates have them, each once; none whose names are numbers. */
function writtenLists(locale: string): string[] {
  const { months, days } = gregorianOf(locale)
  const lists = (['format', 'stand-alone'] as const).flatMap((use) =>
    (['wide', 'abbreviated'] as const).flatMap((width) => [
      Array.from({ length: 12 }, (_, month) => months[use][width][String(month + 1)] ?? ''),
      DAYS.map((day) => days[use][width][day] ?? ''),
    ]),
  )
  const isWritten = (names: readonly string[]): boolean =>
    names.every((name) => name !== '' && !/[\d|]/.test(name)) && new Set(names).size === names.length
  return [...new Set(lists.filter(isWritten).map((names) => names.join('|')))]
}

const { version }: { version: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
if (version !== VERSION) throw new Error(`the table is of cldr-dates-full ${VERSION}, not ${version}`)
const tables = Object.fromEntries(LOCALES.map((locale) => [locale, tableOf(locale)]))
const rows = Object.entries(tables).map(([locale, table]) => `    ${JSON.stringify(locale)}: ${JSON.stringify(table)}`)
const document = `{\n  "source": "cldr-dates-full ${VERSION}",\n  "locales": {\n${rows.join(',\n')}\n  }\n}\n`
writeFileSync(new URL('../../../../../docs/formats/date-names.json', import.meta.url), document)

const quote = (text: string): string => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)
const code = Object.entries(tables).map(([locale, { months, weekdays, am, pm, words }]) =>
  [
    `  ${locale}: {`,
    `    months: ${quote(months.join('|'))},`,
    `    weekdays: ${quote(weekdays.join('|'))},`,
    `    am: ${quote(am.join())},`,
    `    pm: ${quote(pm.join())},`,
    `    words: ${quote(words.join())},`,
    '  },',
  ].join('\n'),
)
writeFileSync(
  new URL('../../../../../core/compile/language/primitives/dates/reading/date-names.ts', import.meta.url),
  `// Written by test/compile/core/language/dates/write-date-names.ts from cldr-dates-full ${VERSION}; do not edit.

/** Names of one locale, folded: entries between bars, spellings of an entry between commas; weekdays from Monday. */
export interface LocaleNames {
  readonly months: string
  readonly weekdays: string
  readonly am: string
  readonly pm: string
  /** Words that stand between the parts of dates. */
  readonly words: string
}

export const DATE_NAMES = {
${code.join('\n')}
} as const satisfies Readonly<Record<string, LocaleNames>>
`,
)

const written = LOCALES.map((locale) => `  ${JSON.stringify(locale)}: ${JSON.stringify(writtenLists(locale))}`)
writeFileSync(
  new URL('../../../../../core/compile/synthesis/dates/written-names.json', import.meta.url),
  `{\n${written.join(',\n')}\n}\n`,
)
