import { defineTask } from '../task.ts'

const DAYS: readonly (readonly [number, number, number])[] = [
  [2023, 10, 3],
  [2021, 7, 14],
  [2020, 1, 31],
  [2022, 3, 12],
  [2019, 12, 24],
  [2024, 2, 29],
  [2018, 5, 1],
  [2025, 8, 20],
  [2017, 11, 11],
  [2016, 6, 9],
  [2023, 4, 27],
  [2022, 9, 18],
]

const iso = ([y, m, d]: readonly [number, number, number]) =>
  `${y}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`
const dotted = ([y, m, d]: readonly [number, number, number]) =>
  `${String(d).padStart(2, '0')}.${String(m).padStart(2, '0')}.${y}`

/** A column of dates as a locale prints them, and what each becomes. */
function printed(
  name: string,
  locale: string,
  options: Intl.DateTimeFormatOptions,
  output: (day: readonly [number, number, number]) => string | number,
) {
  const form = new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    calendar: 'gregory',
    numberingSystem: 'latn',
    ...options,
  })
  const byText = new Map(DAYS.map((day) => [form.format(Date.UTC(day[0], day[1] - 1, day[2])), day]))
  return defineTask(name, 'locales', [...byText.keys()], (text) => output(byText.get(text) ?? [1970, 1, 1]))
}

/** Dates with names of other languages than English. */
export const localeTasks = [
  printed('german long', 'de', { dateStyle: 'long' }, iso),
  printed('german full', 'de', { dateStyle: 'full' }, dotted),
  printed('french long', 'fr', { dateStyle: 'long' }, iso),
  printed('french medium, month', 'fr', { dateStyle: 'medium' }, ([, m]) => m),
  printed('spanish long', 'es', { dateStyle: 'long' }, iso),
  printed('italian full', 'it', { dateStyle: 'full' }, iso),
  printed('polish long', 'pl', { dateStyle: 'long' }, dotted),
  printed('russian long', 'ru', { dateStyle: 'long' }, iso),
  printed('japanese long', 'ja', { dateStyle: 'long' }, iso),
  printed('turkish long', 'tr', { dateStyle: 'long' }, iso),
  printed('swedish medium', 'sv', { dateStyle: 'medium' }, iso),
  printed('german months', 'de', { month: 'long' }, ([, m]) => m),
  defineTask('iso to german', 'locales', DAYS.map(iso), (t) =>
    new Intl.DateTimeFormat('de', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(t)),
  ),
]

const NUMBERS = [345, 12, 7890, 56, 1001, 23, 678, 90, 4, 555, 3210, 89]
const digitsFrom = (zero: number, text: string) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))

/** Digits and letters beyond ASCII. */
export const scriptTasks = [
  defineTask(
    'arabic number',
    'scripts',
    NUMBERS.map((n) => digitsFrom(0x660, String(n))),
    (t) => NUMBERS.find((n) => digitsFrom(0x660, String(n)) === t) ?? 0,
  ),
  defineTask(
    'arabic digits as ascii',
    'scripts',
    NUMBERS.map((n) => digitsFrom(0x660, String(n))),
    (t) => String(NUMBERS.find((n) => digitsFrom(0x660, String(n)) === t) ?? 0),
  ),
  defineTask(
    'full-width number',
    'scripts',
    NUMBERS.map((n) => digitsFrom(0xff10, `${n}.5`)),
    (t) => (NUMBERS.find((n) => digitsFrom(0xff10, `${n}.5`) === t) ?? 0) + 0.5,
  ),
  defineTask(
    'full-width code',
    'scripts',
    NUMBERS.map((n) => digitsFrom(0xff10, `ＡＢ${n}`)),
    (t) => t.normalize('NFKC'),
  ),
  defineTask(
    'arabic price',
    'scripts',
    NUMBERS.map((n) => `السعر ${digitsFrom(0x660, String(n))} ريال`),
    (t) => NUMBERS.find((n) => t.includes(` ${digitsFrom(0x660, String(n))} `)) ?? 0,
  ),
  defineTask(
    'hindi digits kept',
    'scripts',
    NUMBERS.map((n) => `कुल ${digitsFrom(0x966, String(n))} रु`),
    (t) => /[\u0966-\u096f]+/u.exec(t)?.[0] ?? '',
  ),
  defineTask(
    'cyrillic initials',
    'scripts',
    [
      'Иван Петров',
      'Анна Сидорова',
      'Пётр Ильин',
      'Ольга Кузнецова',
      'Борис Орлов',
      'Елена Ёлкина',
      'Юрий Гагарин',
      'Мария Чехова',
      'Фёдор Щукин',
      'Зоя Цветкова',
      'Лев Толстой',
      'Дарья Жукова',
    ],
    (t) =>
      t
        .split(' ')
        .map((name) => `${name.slice(0, 1)}.`)
        .join(' '),
  ),
  defineTask(
    'accented names',
    'scripts',
    [
      'Müller, Jörg',
      'Ångström, Åsa',
      'Núñez, José',
      'Çelik, Ümit',
      'Žižek, Sławomir',
      'Őry, Zoë',
      'Dvořák, Antonín',
      'Brontë, Émile',
      'García, Íñigo',
      'Şahin, Işıl',
      'Łuk, Żaneta',
      'Øster, Bjørn',
    ],
    (t) => t.split(', ').toReversed().join(' '),
  ),
  defineTask(
    'greek upper surname',
    'scripts',
    [
      'Νίκος Καλός',
      'Μαρία Λευκά',
      'Γιώργος Μαύρος',
      'Ελένη Κόκκινη',
      'Πέτρος Ψηλός',
      'Άννα Χρυσή',
      'Θάνος Γκρίζος',
      'Ζωή Ωραία',
      'Ιάσων Φωτεινός',
      'Δάφνη Ξανθή',
      'Σοφία Ρόδινη',
      'Ορέστης Τίμιος',
    ],
    (t) => (t.split(' ')[1] ?? '').toUpperCase(),
  ),
  defineTask(
    'chinese province',
    'scripts',
    [
      '四川省成都市',
      '广东省深圳市',
      '浙江省杭州市',
      '黑龙江省哈尔滨市',
      '江苏省南京市',
      '湖北省武汉市',
      '山东省青岛市',
      '福建省厦门市',
      '云南省昆明市',
      '陕西省西安市',
      '河南省郑州市',
      '辽宁省大连市',
    ],
    (t) => t.slice(t.indexOf('省') + 1, -1),
  ),
  defineTask(
    'japanese floor',
    'scripts',
    [
      '東館３階',
      '西館１２階',
      '本館１階',
      '南館５階',
      '北館１０階',
      '新館８階',
      '別館２階',
      '東館１１階',
      '西館７階',
      '本館９階',
      '南館１４階',
      '北館６階',
    ],
    (t) => Number(/[０-９]+/u.exec(t.normalize('NFC'))?.[0].normalize('NFKC') ?? 0),
  ),
  defineTask(
    'letters of a cyrillic code',
    'scripts',
    ['АБ123', 'ВГ45', 'ДЕЖ6789', 'ЗИ01', 'К2', 'ЛМН345', 'ОП67', 'Р890', 'СТ12', 'УФХ34', 'Ц56', 'ЧШ7'],
    (t) => t.replace(/\d/g, ''),
  ),
]
