import type { CivilDate } from '../primitives/dates/civil-date.ts'
import { spend } from '../evaluate/frame.ts'
import { LANGUAGE_2, TIME_UNITS } from '../names.ts'
import { DATE_LOCALES } from '../primitives/dates/reading/lexicon.ts'
import { CALENDARS, DATE_NEEDS, DATE_ORDERS } from '../primitives/dates/reading/options.ts'
import { readDateText } from '../primitives/dates/reading/read-date.ts'
import { nthWeekdayOf, type TimeWindows, windowEndOf, windowStartOf } from '../primitives/dates/windows.ts'
import { DATE, NUMBER, TEXT } from '../value-types.ts'
import { operator } from './entry.ts'
import { choice, expr, integer, optional, records, text } from './fields.ts'

const since = LANGUAGE_2
const order = choice(DATE_ORDERS)

/** Fuel of reading one date, beside that of its text. */
const READING_FUEL = 16

const windowEdge = (
  edge: (date: CivilDate, windows: TimeWindows) => CivilDate | undefined,
  meaning: string,
  vectors: string,
) =>
  operator({
    since,
    fields: { date: expr(DATE), step: expr(NUMBER), unit: choice(TIME_UNITS), offset: optional(expr(NUMBER)) },
    operands: ['date', 'step'],
    result: DATE,
    meaning,
    fails: 'out_of_range',
    evaluate:
      ({ unit, offset }) =>
      (date, step, frame) =>
        edge(date, { step, unit, offset: offset?.(frame) ?? 0 }),
    vectors,
  })

/** Operators on dates that `svc-recipe-2` adds. */
export const DATE_READING = {
  readDate: operator({
    since,
    fields: {
      text: expr(TEXT),
      order: optional(order),
      orders: optional(records({ separator: text(0, 1), order })),
      pivot: optional(integer(0, 100)),
      locales: optional({ kind: 'strings', values: DATE_LOCALES }),
      calendar: optional(choice(CALENDARS)),
      needs: optional({ kind: 'strings', values: DATE_NEEDS }),
    },
    operands: ['text'],
    result: DATE,
    meaning: 'The date or time that the whole text is, in any form of "Reading dates"; else `no_match`.',
    fuel: ['scan'],
    fails: 'no_match',
    evaluate: (reading) => (value, frame) => {
      spend(frame, READING_FUEL)
      return readDateText(value, reading)?.date
    },
    vectors: String.raw`
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"}},"pattern":"yyyy-MM-dd"},"cases":[{"input":"2024-01-31","output":"2024-01-31"},{"input":"2024/1/31","output":"2024-01-31"},{"input":"2024--1--31","output":"2024-01-31"},{"input":"31.1.2024","output":"2024-01-31"},{"input":"31. 1. 2024","output":"2024-01-31"},{"input":"1/31/2024","output":"2024-01-31"},{"input":"31/1/2024","output":"2024-01-31"},{"input":"5/5/2024","output":"2024-05-05"},{"input":"1/2/2024","fails":"no_match"},{"input":"31-12-24","fails":"no_match"},{"input":"99-12-31","output":"1999-12-31"},{"input":"24-01-31","fails":"no_match"},{"input":"2024-05-06","output":"2024-05-06"},{"input":"6.30.2220","output":"2220-06-30"},{"input":"30.2.2024","fails":"no_match"},{"input":"29.2.2023","fails":"no_match"},{"input":"0000-01-01","fails":"no_match"},{"input":"0001-01-01","output":"0001-01-01"},{"input":"9999-12-31","output":"9999-12-31"},{"input":"10000-01-01","fails":"no_match"},{"input":"1.2.3.4","fails":"no_match"},{"input":"2024.1.2.3","fails":"no_match"},{"input":"2024-1/31","fails":"no_match"},{"input":"3.5","fails":"no_match"},{"input":"12","fails":"no_match"},{"input":"2024","fails":"no_match"},{"input":"","fails":"no_match"},{"input":"  ","fails":"no_match"},{"input":"1111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111","fails":"no_match"},{"input":5,"fails":"type_mismatch"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"}},"pattern":"yyyy-MM-dd"},"cases":[{"input":"Jan 31, 2024","output":"2024-01-31"},{"input":"January 31st 2024","output":"2024-01-31"},{"input":"31 JANUARY 2024","output":"2024-01-31"},{"input":"31st of January, 2024","output":"2024-01-31"},{"input":"4. November 2013","output":"2013-11-04"},{"input":"2024 Jan 31","output":"2024-01-31"},{"input":"31-Jan-24","output":"2024-01-31"},{"input":"5 Jan 24","output":"2024-01-05"},{"input":"Jan '24","output":"2024-01-01"},{"input":"Jan 97","output":"1997-01-01"},{"input":"Jan 24","output":"1970-01-24"},{"input":"March 2024","output":"2024-03-01"},{"input":"Sept. 2024","output":"2024-09-01"},{"input":"29 Feb","output":"1972-02-29"},{"input":"31 Feb 2024","fails":"no_match"},{"input":"Wednesday, 31 January 2024","output":"2024-01-31"},{"input":"Tuesday, 31 January 2024","fails":"no_match"},{"input":"Wed 31 Jan 2024","output":"2024-01-31"},{"input":"Monday","output":"1970-01-05"},{"input":"Tue, Mar 5","output":"1974-03-05"},{"input":"Wed Jan 31 15:45:00 2024","output":"2024-01-31"},{"input":"hello","fails":"no_match"},{"input":"31 Jan 2024 maybe","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"}},"pattern":"yyyy-MM-dd"},"cases":[{"input":"2024-W05","output":"2024-01-29"},{"input":"2024-W05-3","output":"2024-01-31"},{"input":"2024W053","output":"2024-01-31"},{"input":"KW 5 2024","output":"2024-01-29"},{"input":"2024-W53","fails":"no_match"},{"input":"2020-W53","output":"2020-12-28"},{"input":"2024-031","output":"2024-01-31"},{"input":"2024-366","output":"2024-12-31"},{"input":"2023-366","fails":"no_match"},{"input":"2024031","output":"2024-01-31"},{"input":"Q3 2024","output":"2024-07-01"},{"input":"2024-Q1","output":"2024-01-01"},{"input":"Q5 2024","fails":"no_match"},{"input":"20240131","output":"2024-01-31"},{"input":"240131","output":"2024-01-31"},{"input":"20241301","fails":"no_match"},{"input":"31012024","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"}},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"10:15","output":"1970-01-01 10:15:00.000"},{"input":"10:15:30","output":"1970-01-01 10:15:30.000"},{"input":"10:15:30,25","output":"1970-01-01 10:15:30.250"},{"input":"10.15","fails":"no_match"},{"input":"10.15 PM","output":"1970-01-01 22:15:00.000"},{"input":"3 PM","output":"1970-01-01 15:00:00.000"},{"input":"3pm","output":"1970-01-01 15:00:00.000"},{"input":"12 am","output":"1970-01-01 00:00:00.000"},{"input":"12:30 p.m.","output":"1970-01-01 12:30:00.000"},{"input":"0:00:20 AM","output":"1970-01-01 00:00:20.000"},{"input":"14:30 PM","output":"1970-01-01 14:30:00.000"},{"input":"14:30 AM","fails":"no_match"},{"input":"25:00","fails":"no_match"},{"input":"24:00","fails":"no_match"},{"input":"12:60","fails":"no_match"},{"input":"14h30","output":"1970-01-01 14:30:00.000"},{"input":"14 h 30 min","output":"1970-01-01 14:30:00.000"},{"input":"10:00-12:00","fails":"no_match"},{"input":"2024-01-31T10:15:30.123456","output":"2024-01-31 10:15:30.123"},{"input":"20240131T101530","output":"2024-01-31 10:15:30.000"},{"input":"20240131_101530","output":"2024-01-31 10:15:30.000"},{"input":"20240131101530","output":"2024-01-31 10:15:30.000"},{"input":"31.1.2024 10.15","output":"2024-01-31 10:15:00.000"},{"input":"10:15, 31 Jan 2024","output":"2024-01-31 10:15:00.000"},{"input":"2024:01:31 10:15:30","output":"2024-01-31 10:15:30.000"},{"input":"de 5:30","output":"1970-01-01 05:30:00.000"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"}},"pattern":"yyyy-MM-dd HH:mmXXX"},"cases":[{"input":"2024-01-31T10:15Z","output":"2024-01-31 10:15Z"},{"input":"2024-01-31 10:15:00 +0530","output":"2024-01-31 10:15+05:30"},{"input":"2024-01-31T10:15-05:00","output":"2024-01-31 10:15-05:00"},{"input":"31 Jan 2024 10:15 GMT+2","output":"2024-01-31 10:15+02:00"},{"input":"Wed Jan 31 2024 10:15:00 GMT+0100 (Central European Standard Time)","output":"2024-01-31 10:15+01:00"},{"input":"2024-01-31T10:15+15:00","fails":"no_match"},{"input":"2024-01-31 10:15","fails":"missing"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"}},"pattern":"yyyy-MM-dd"},"cases":[{"input":"31. Januar 2024","output":"2024-01-31"},{"input":"31 de enero de 2024","output":"2024-01-31"},{"input":"1er février 2024","output":"2024-02-01"},{"input":"31 gennaio 2024","output":"2024-01-31"},{"input":"2024. január 31., szerda","output":"2024-01-31"},{"input":"31 января 2024 г.","output":"2024-01-31"},{"input":"31 Ιανουαρίου 2024","output":"2024-01-31"},{"input":"31 Ocak 2024 Çarşamba","output":"2024-01-31"},{"input":"٣١ يناير ٢٠٢٤","output":"2024-01-31"},{"input":"31 בינואר 2024","output":"2024-01-31"},{"input":"३१ जनवरी २०२४","output":"2024-01-31"},{"input":"৩১ জানুয়ারি, ২০২৪","output":"2024-01-31"},{"input":"31 มกราคม 2567","output":"2024-01-31"},{"input":"31 มกราคม พ.ศ. 2567","output":"2024-01-31"},{"input":"31 ม.ค. 67","fails":"no_match"},{"input":"ngày 31 tháng 1, 2024","output":"2024-01-31"},{"input":"2024年1月31日(水)","output":"2024-01-31"},{"input":"2024年1月31日星期三","output":"2024-01-31"},{"input":"2024년 1월 31일 수요일","output":"2024-01-31"},{"input":"so, 31. 8. 2024","output":"2024-08-31"},{"input":"31 января January 2024","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"order":"dmy"},"pattern":"yyyy-MM-dd"},"cases":[{"input":"1/2/2024","output":"2024-02-01"},{"input":"1/13/2024","output":"2024-01-13"},{"input":"01-02-03","output":"2003-02-01"},{"input":"2024-05-06","output":"2024-05-06"},{"input":"1/2","output":"1970-02-01"},{"input":"30.2.2024","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"order":"mdy"},"pattern":"yyyy-MM-dd"},"cases":[{"input":"1/2/2024","output":"2024-01-02"},{"input":"13/1/2024","output":"2024-01-13"},{"input":"01-02-03","output":"2003-01-02"},{"input":"1/2","output":"1970-01-02"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"order":"ymd"},"pattern":"yyyy-MM-dd"},"cases":[{"input":"01-02-03","output":"2001-02-03"},{"input":"1/2/2024","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"order":"ydm"},"pattern":"yyyy-MM-dd"},"cases":[{"input":"2024-05-06","output":"2024-06-05"},{"input":"2024-31-01","output":"2024-01-31"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"order":"dmy","orders":[{"separator":"/","order":"mdy"},{"separator":"","order":"dmy"}]},"pattern":"yyyy-MM-dd"},"cases":[{"input":"1/2/2024","output":"2024-01-02"},{"input":"13/1/2024","fails":"no_match"},{"input":"1.2.2024","output":"2024-02-01"},{"input":"31012024","output":"2024-01-31"},{"input":"310124","output":"2024-01-31"},{"input":"20240131","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"orders":[{"separator":".","order":"ydm"},{"separator":"-","order":"ymd"},{"separator":" ","order":"mdy"}]},"pattern":"yyyy-MM-dd"},"cases":[{"input":"2024.05.06","output":"2024-06-05"},{"input":"01-02-03","output":"2001-02-03"},{"input":"1 2 2024","output":"2024-01-02"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"needs":["year","month","day"]},"pattern":"yyyy-MM-dd"},"cases":[{"input":"31 Jan 2024","output":"2024-01-31"},{"input":"2024-031","output":"2024-01-31"},{"input":"2024-W05-3","output":"2024-01-31"},{"input":"31 Jan","fails":"no_match"},{"input":"Jan 2024","fails":"no_match"},{"input":"16:30","fails":"no_match"},{"input":"2024-13-01","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"needs":["time"]},"pattern":"HH:mm"},"cases":[{"input":"4:30 PM","output":"16:30"},{"input":"31 Jan 2024","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"pivot":0},"pattern":"yyyy-MM-dd"},"cases":[{"input":"31-12-24","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"pivot":100},"pattern":"yyyy-MM-dd"},"cases":[{"input":"31-12-99","output":"2099-12-31"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"order":"dmy","calendar":"buddhist"},"pattern":"yyyy-MM-dd"},"cases":[{"input":"31/1/2567","output":"2024-01-31"},{"input":"31/1/67","output":"2024-01-31"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"calendar":"gregorian"},"pattern":"yyyy-MM-dd"},"cases":[{"input":"31 มกราคม 2567","output":"2567-01-31"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"locales":["de"]},"pattern":"yyyy-MM-dd"},"cases":[{"input":"31. Januar 2024","output":"2024-01-31"},{"input":"31 de enero de 2024","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"readDate","text":{"op":"input"},"locales":["en","fr","es","it","pt","nl","sv","da","nb","fi","pl","cs","hu","ro","bg","el","ru","uk","tr","ar","he","hi","bn","th","vi","id","ja","zh","ko"]},"pattern":"yyyy-MM-dd"},"cases":[{"input":"31 de enero de 2024","output":"2024-01-31"}]}
    `,
  }),
  nthWeekday: operator({
    since,
    fields: { date: expr(DATE), weekday: expr(NUMBER), n: expr(NUMBER) },
    operands: ['date', 'weekday', 'n'],
    result: DATE,
    meaning:
      'The n-th weekday (1 Monday to 7 Sunday) of the month of the date, at 00:00; a negative `n` counts from the last. `out_of_range` when the month has none.',
    fails: 'out_of_range',
    evaluate: () => (date, weekday, n) => nthWeekdayOf(date, weekday, n),
    vectors: String.raw`
      {"body":{"op":"formatDate","date":{"op":"nthWeekday","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"weekday":{"op":"literal","value":5},"n":{"op":"literal","value":3}},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-03-31","output":"2024-03-15 00:00:00.000"},{"input":"2024-02-01","output":"2024-02-16 00:00:00.000"}]}
      {"body":{"op":"formatDate","date":{"op":"nthWeekday","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"weekday":{"op":"literal","value":1},"n":{"op":"literal","value":-1}},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-09","output":"2024-05-27 00:00:00.000"}]}
      {"body":{"op":"formatDate","date":{"op":"nthWeekday","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"weekday":{"op":"literal","value":1},"n":{"op":"literal","value":5}},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-07-04","output":"2024-07-29 00:00:00.000"},{"input":"2024-06-04","fails":"out_of_range"}]}
      {"body":{"op":"formatDate","date":{"op":"nthWeekday","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"weekday":{"op":"literal","value":8},"n":{"op":"literal","value":1}},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-07-04","fails":"out_of_range"}]}
    `,
  }),
  windowStart: windowEdge(
    windowStartOf,
    'The start of the window of `step` units that holds the date, see "Windows of time".',
    String.raw`
      {"body":{"op":"formatDate","date":{"op":"windowStart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":6},"unit":"milliseconds"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-02-29 23:48:05.004"},{"input":"2024-01-01 00:00:00.000","output":"2024-01-01 00:00:00.000"}]}
      {"body":{"op":"formatDate","date":{"op":"windowStart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":6},"unit":"seconds"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-02-29 23:48:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2024-01-01 00:00:00.000"}]}
      {"body":{"op":"formatDate","date":{"op":"windowStart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":6},"unit":"minutes"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-02-29 23:48:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2024-01-01 00:00:00.000"}]}
      {"body":{"op":"formatDate","date":{"op":"windowStart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":6},"unit":"hours"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-02-29 18:00:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2024-01-01 00:00:00.000"}]}
      {"body":{"op":"formatDate","date":{"op":"windowStart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":6},"unit":"days"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-02-29 00:00:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2023-12-31 00:00:00.000"}]}
      {"body":{"op":"formatDate","date":{"op":"windowStart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":2},"unit":"weeks"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-02-19 00:00:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2023-12-25 00:00:00.000"}]}
      {"body":{"op":"formatDate","date":{"op":"windowStart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":6},"unit":"months"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-01-01 00:00:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2024-01-01 00:00:00.000"}]}
      {"body":{"op":"formatDate","date":{"op":"windowStart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":2},"unit":"quarters"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-01-01 00:00:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2024-01-01 00:00:00.000"}]}
      {"body":{"op":"formatDate","date":{"op":"windowStart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":10},"unit":"years"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2020-01-01 00:00:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2020-01-01 00:00:00.000"}]}
      {"body":{"op":"formatDate","date":{"op":"windowStart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"h:ma"},"step":{"op":"literal","value":30},"unit":"minutes","offset":{"op":"literal","value":15}},"pattern":"HH:mm"},"cases":[{"input":"11:48PM","output":"23:45"},{"input":"3:15PM","output":"15:15"},{"input":"12:05AM","output":"23:45"}]}
      {"body":{"op":"formatDate","date":{"op":"windowStart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"step":{"op":"literal","value":0},"unit":"days"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-01-01","fails":"out_of_range"}]}
      {"body":{"op":"formatDate","date":{"op":"windowStart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"step":{"op":"literal","value":1},"unit":"days","offset":{"op":"literal","value":0.5}},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-01-01","fails":"out_of_range"}]}
    `,
  ),
  windowEnd: windowEdge(
    windowEndOf,
    'The end of that window, which is the start of the next one.',
    String.raw`
    {"body":{"op":"formatDate","date":{"op":"windowEnd","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":6},"unit":"milliseconds"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-02-29 23:48:05.010"},{"input":"2024-01-01 00:00:00.000","output":"2024-01-01 00:00:00.006"}]}
    {"body":{"op":"formatDate","date":{"op":"windowEnd","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":6},"unit":"seconds"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-02-29 23:48:06.000"},{"input":"2024-01-01 00:00:00.000","output":"2024-01-01 00:00:06.000"}]}
    {"body":{"op":"formatDate","date":{"op":"windowEnd","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":6},"unit":"minutes"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-02-29 23:54:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2024-01-01 00:06:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"windowEnd","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":6},"unit":"hours"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-03-01 00:00:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2024-01-01 06:00:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"windowEnd","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":6},"unit":"days"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-03-06 00:00:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2024-01-06 00:00:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"windowEnd","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":2},"unit":"weeks"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-03-04 00:00:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2024-01-08 00:00:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"windowEnd","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":6},"unit":"months"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-07-01 00:00:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2024-07-01 00:00:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"windowEnd","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":2},"unit":"quarters"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2024-07-01 00:00:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2024-07-01 00:00:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"windowEnd","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"step":{"op":"literal","value":10},"unit":"years"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-02-29 23:48:05.007","output":"2030-01-01 00:00:00.000"},{"input":"2024-01-01 00:00:00.000","output":"2030-01-01 00:00:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"windowEnd","date":{"op":"parseDate","text":{"op":"input"},"pattern":"h:ma"},"step":{"op":"literal","value":2},"unit":"hours","offset":{"op":"literal","value":1}},"pattern":"HH:mm"},"cases":[{"input":"11:48PM","output":"01:00"},{"input":"3:15PM","output":"17:00"},{"input":"12:05AM","output":"01:00"}]}
    {"body":{"op":"formatDate","date":{"op":"windowEnd","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"step":{"op":"literal","value":1},"unit":"years"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"9999-01-01","fails":"out_of_range"}]}
  `,
  ),
}
