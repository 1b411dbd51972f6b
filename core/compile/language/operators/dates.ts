import type { CivilDate } from '../primitives/dates/civil-date.ts'
import {
  addToDate,
  differenceOf,
  endOfPeriod,
  fromUnixTime,
  makeCivilDate,
  moveToOffset,
  partOf,
  startOfPeriod,
} from '../primitives/dates/date-math.ts'
import { formatDateText, parseDateText } from '../primitives/dates/date-text.ts'
import { DATE_PARTS, DATE_PERIODS, type DatePeriod, TIME_UNITS } from '../names.ts'
import { DATE, NUMBER, TEXT } from '../value-types.ts'
import { operator } from './entry.ts'
import { choice, expr, integer, optional } from './fields.ts'

const UNIX_UNITS = ['seconds', 'milliseconds'] as const

const edgeOf = (
  move: (date: CivilDate, period: DatePeriod) => CivilDate | undefined,
  meaning: string,
  vectors: string,
) =>
  operator({
    fields: { date: expr(DATE), period: choice(DATE_PERIODS) },
    operands: ['date'],
    result: DATE,
    meaning,
    fails: 'out_of_range',
    evaluate:
      ({ period }) =>
      (date) =>
        move(date, period),
    vectors,
  })

/** Operators on civil dates and times. */
export const DATES = {
  parseDate: operator({
    fields: { text: expr(TEXT), pattern: { kind: 'datePattern', isRead: true }, pivot: optional(integer(0, 100)) },
    operands: ['text'],
    result: DATE,
    meaning: 'The date that the whole text is, by the pattern; else `no_match`. `yy` below `pivot` (69) is 20yy.',
    fuel: ['scan'],
    fails: 'no_match',
    evaluate:
      ({ pattern, pivot }) =>
      (text) =>
        parseDateText(text, pattern, pivot),
    vectors: String.raw`
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"MMM d, yy"},"pattern":"yyyy-MM-dd"},"cases":[{"input":"sept 3, 99","output":"1999-09-03"},{"input":"Jan 31, 68","output":"2068-01-31"},{"input":"Jan 31, 69","output":"1969-01-31"}]}
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyyMMdd'T'HHmmssXX"},"pattern":"yyyy-MM-dd'T'HH:mm:ssXXX"},"cases":[{"input":"20240301T101112+0530","output":"2024-03-01T10:11:12+05:30"},{"input":"20240301T101112Z","output":"2024-03-01T10:11:12Z"}]}
    `,
  }),
  formatDate: operator({
    fields: { date: expr(DATE), pattern: { kind: 'datePattern', isRead: false } },
    operands: ['date'],
    result: TEXT,
    meaning: 'The date written by the pattern; `missing` when it asks for an offset the date has not.',
    fuel: ['make'],
    fails: 'missing',
    evaluate:
      ({ pattern }) =>
      (date) =>
        formatDateText(date, pattern),
    vectors: String.raw`
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"pattern":"EEEE, MMMM do, yyyy"},"cases":[{"input":"2024-02-29","output":"Thursday, February 29th, 2024"},{"input":"2023-02-29","fails":"no_match"},{"input":"2024-2-29","fails":"no_match"},{"input":" 2024-02-29","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"d MMMM yy","pivot":30},"pattern":"yyyy"},"cases":[{"input":"1 may 30","output":"1930"},{"input":"1 MAY 29","output":"2029"}]}
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"EEE, dd MMM yyyy"},"pattern":"M/d/yy EEE"},"cases":[{"input":"Fri, 01 Mar 2024","output":"3/1/24 Fri"},{"input":"Mon, 01 Mar 2024","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"EEEE do MMMM yyyy"},"pattern":"D DDD"},"cases":[{"input":"friday 1st march 2024","output":"61 061"},{"input":"friday 1th march 2024","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"h:mm a"},"pattern":"HH:mm H"},"cases":[{"input":"3:05 pm","output":"15:05 15"},{"input":"12:00 AM","output":"00:00 0"},{"input":"12:00 p.m.","output":"12:00 12"},{"input":"13:00 AM","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"HH:mm:ss.SSS"},"pattern":"hh:mm:ss aa h m s aaaa a S SS"},"cases":[{"input":"09:05:07.123","output":"09:05:07 am 9 5 7 a.m. AM 1 12"},{"input":"24:00:00.000","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"H:m:s"},"pattern":"HHmmss"},"cases":[{"input":"7:5:3","output":"070503"}]}
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"hhmm"},"pattern":"HH:mm"},"cases":[{"input":"1230","output":"00:30"}]}
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm xxx"},"pattern":"XX xxx"},"cases":[{"input":"2024-03-01 10:11 +00:00","output":"Z +00:00"},{"input":"2024-03-01 10:11 Z","fails":"no_match"}]}
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"pattern":"yyyyXXX"},"cases":[{"input":"2024-03-01","fails":"missing"}]}
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"pattern":"'Q'Q YYYY-'W'ww-e w ''yy"},"cases":[{"input":"2024-12-30","output":"Q4 2025-W01-1 1 '24"}]}
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"s.SS"},"pattern":"SSS"},"cases":[{"input":"1.25","output":"250"}]}
      {"body":{"op":"formatDate","date":{"op":"parseDate","text":{"op":"input"},"pattern":"s.S"},"pattern":"SSS"},"cases":[{"input":"1.2","output":"200"}]}
    `,
  }),
  makeDate: operator({
    fields: { year: expr(NUMBER), month: expr(NUMBER), day: expr(NUMBER) },
    operands: ['year', 'month', 'day'],
    result: DATE,
    meaning: 'A day at 00:00; `out_of_range` when there is no such day.',
    fails: 'out_of_range',
    evaluate: () => (year, month, day) => makeCivilDate(year, month, day),
    vectors: String.raw`
      {"body":{"op":"formatDate","date":{"op":"makeDate","year":{"op":"literal","value":2024},"month":{"op":"input"},"day":{"op":"literal","value":31}},"pattern":"yyyy-MM-dd"},"cases":[{"input":1,"output":"2024-01-31"},{"input":2,"fails":"out_of_range"},{"input":1.5,"fails":"out_of_range"}]}
      {"body":{"op":"datePart","part":"year","date":{"op":"makeDate","year":{"op":"field","of":{"op":"input"},"name":"y"},"month":{"op":"field","of":{"op":"input"},"name":"m"},"day":{"op":"field","of":{"op":"input"},"name":"d"}}},"cases":[{"input":{"y":1.5,"m":"x","d":1},"fails":"type_mismatch"},{"input":{"y":1.5,"m":1,"d":1},"fails":"out_of_range"},{"input":{"y":2024,"m":2,"d":29},"output":2024}]}
    `,
  }),
  addTime: operator({
    fields: { date: expr(DATE), amount: expr(NUMBER), unit: choice(TIME_UNITS) },
    operands: ['date', 'amount'],
    result: DATE,
    meaning:
      'So much later. Months, quarters and years: whole, and the day is cut to the last of the month. `out_of_range` outside the years 1 to 9999.',
    fails: 'out_of_range',
    evaluate:
      ({ unit }) =>
      (date, amount) =>
        addToDate(date, amount, unit),
    vectors: String.raw`
      {"body":{"op":"formatDate","date":{"op":"addTime","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"amount":{"op":"literal","value":1},"unit":"months"},"pattern":"yyyy-MM-dd HH:mm"},"cases":[{"input":"2024-01-31","output":"2024-02-29 00:00"}]}
      {"body":{"op":"formatDate","date":{"op":"addTime","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"amount":{"op":"literal","value":1},"unit":"years"},"pattern":"yyyy-MM-dd HH:mm"},"cases":[{"input":"2024-01-31","output":"2025-01-31 00:00"}]}
      {"body":{"op":"formatDate","date":{"op":"addTime","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"amount":{"op":"literal","value":-1},"unit":"quarters"},"pattern":"yyyy-MM-dd HH:mm"},"cases":[{"input":"2024-01-31","output":"2023-10-31 00:00"}]}
      {"body":{"op":"formatDate","date":{"op":"addTime","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"amount":{"op":"literal","value":1},"unit":"weeks"},"pattern":"yyyy-MM-dd HH:mm"},"cases":[{"input":"2024-01-31","output":"2024-02-07 00:00"}]}
      {"body":{"op":"formatDate","date":{"op":"addTime","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"amount":{"op":"literal","value":-31},"unit":"days"},"pattern":"yyyy-MM-dd HH:mm"},"cases":[{"input":"2024-01-31","output":"2023-12-31 00:00"}]}
      {"body":{"op":"formatDate","date":{"op":"addTime","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"amount":{"op":"literal","value":1.5},"unit":"hours"},"pattern":"yyyy-MM-dd HH:mm"},"cases":[{"input":"2024-01-31","output":"2024-01-31 01:30"}]}
      {"body":{"op":"formatDate","date":{"op":"addTime","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"amount":{"op":"literal","value":90},"unit":"minutes"},"pattern":"yyyy-MM-dd HH:mm"},"cases":[{"input":"2024-01-31","output":"2024-01-31 01:30"}]}
      {"body":{"op":"formatDate","date":{"op":"addTime","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"amount":{"op":"literal","value":60},"unit":"seconds"},"pattern":"yyyy-MM-dd HH:mm"},"cases":[{"input":"2024-01-31","output":"2024-01-31 00:01"}]}
      {"body":{"op":"formatDate","date":{"op":"addTime","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"amount":{"op":"literal","value":60000},"unit":"milliseconds"},"pattern":"yyyy-MM-dd HH:mm"},"cases":[{"input":"2024-01-31","output":"2024-01-31 00:01"}]}
      {"body":{"op":"formatDate","date":{"op":"addTime","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"amount":{"op":"literal","value":8000},"unit":"years"},"pattern":"yyyy"},"cases":[{"input":"2024-01-31","fails":"out_of_range"}]}
      {"body":{"op":"formatDate","date":{"op":"addTime","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd"},"amount":{"op":"literal","value":0.5},"unit":"months"},"pattern":"yyyy"},"cases":[{"input":"2024-01-31","fails":"out_of_range"}]}
    `,
  }),
  startOf: edgeOf(
    startOfPeriod,
    'The first millisecond of the period. Weeks start on Monday.',
    String.raw`
    {"body":{"op":"formatDate","date":{"op":"startOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"year"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-01-01 00:00:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"startOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"quarter"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-04-01 00:00:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"startOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"month"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-05-01 00:00:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"startOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"week"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-05-13 00:00:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"startOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"day"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-05-15 00:00:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"startOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"hour"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-05-15 13:00:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"startOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"minute"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-05-15 13:14:00.000"}]}
    {"body":{"op":"formatDate","date":{"op":"startOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"second"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-05-15 13:14:15.000"}]}
  `,
  ),
  endOf: edgeOf(
    endOfPeriod,
    'The last millisecond of the period.',
    String.raw`
    {"body":{"op":"formatDate","date":{"op":"endOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"year"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-12-31 23:59:59.999"}]}
    {"body":{"op":"formatDate","date":{"op":"endOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"quarter"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-06-30 23:59:59.999"}]}
    {"body":{"op":"formatDate","date":{"op":"endOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"month"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-05-31 23:59:59.999"}]}
    {"body":{"op":"formatDate","date":{"op":"endOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"week"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-05-19 23:59:59.999"}]}
    {"body":{"op":"formatDate","date":{"op":"endOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"day"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-05-15 23:59:59.999"}]}
    {"body":{"op":"formatDate","date":{"op":"endOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"hour"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-05-15 13:59:59.999"}]}
    {"body":{"op":"formatDate","date":{"op":"endOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"minute"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-05-15 13:14:59.999"}]}
    {"body":{"op":"formatDate","date":{"op":"endOf","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"period":"second"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS"},"cases":[{"input":"2024-05-15 13:14:15.161","output":"2024-05-15 13:14:15.999"}]}
  `,
  ),
  dateDifference: operator({
    fields: { from: expr(DATE), to: expr(DATE), unit: choice(TIME_UNITS) },
    operands: ['from', 'to'],
    result: NUMBER,
    meaning: 'Whole units from one to the other, towards zero; negative when `to` is earlier.',
    fails: 'out_of_range',
    evaluate:
      ({ unit }) =>
      (from, to) =>
        differenceOf(from, to, unit),
    vectors: String.raw`
      {"body":{"op":"dateDifference","from":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"a"},"pattern":"yyyy-MM-dd"},"to":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"b"},"pattern":"yyyy-MM-dd"},"unit":"days"},"cases":[{"input":{"a":"2024-02-28","b":"2024-03-01"},"output":2}]}
      {"body":{"op":"dateDifference","from":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"a"},"pattern":"yyyy-MM-dd"},"to":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"b"},"pattern":"yyyy-MM-dd"},"unit":"months"},"cases":[{"input":{"a":"2024-01-31","b":"2024-02-29"},"output":0}]}
      {"body":{"op":"dateDifference","from":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"a"},"pattern":"yyyy-MM-dd"},"to":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"b"},"pattern":"yyyy-MM-dd"},"unit":"months"},"cases":[{"input":{"a":"2024-01-31","b":"2024-03-31"},"output":2}]}
      {"body":{"op":"dateDifference","from":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"a"},"pattern":"yyyy-MM-dd"},"to":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"b"},"pattern":"yyyy-MM-dd"},"unit":"years"},"cases":[{"input":{"a":"2000-02-29","b":"2024-02-28"},"output":23}]}
      {"body":{"op":"dateDifference","from":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"a"},"pattern":"yyyy-MM-dd"},"to":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"b"},"pattern":"yyyy-MM-dd"},"unit":"weeks"},"cases":[{"input":{"a":"2024-01-15","b":"2024-01-01"},"output":-2}]}
      {"body":{"op":"dateDifference","from":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"a"},"pattern":"yyyy-MM-dd"},"to":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"b"},"pattern":"yyyy-MM-dd"},"unit":"quarters"},"cases":[{"input":{"a":"2024-01-01","b":"2024-12-31"},"output":3}]}
      {"body":{"op":"dateDifference","from":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"a"},"pattern":"yyyy-MM-dd"},"to":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"b"},"pattern":"yyyy-MM-dd"},"unit":"hours"},"cases":[{"input":{"a":"2024-01-01","b":"2024-01-02"},"output":24}]}
      {"body":{"op":"dateDifference","from":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"a"},"pattern":"yyyy-MM-dd"},"to":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"b"},"pattern":"yyyy-MM-dd"},"unit":"minutes"},"cases":[{"input":{"a":"2024-01-01","b":"2024-01-02"},"output":1440}]}
      {"body":{"op":"dateDifference","from":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"a"},"pattern":"yyyy-MM-dd"},"to":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"b"},"pattern":"yyyy-MM-dd"},"unit":"seconds"},"cases":[{"input":{"a":"2024-01-01","b":"2024-01-02"},"output":86400}]}
      {"body":{"op":"dateDifference","from":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"a"},"pattern":"yyyy-MM-dd"},"to":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"b"},"pattern":"yyyy-MM-dd"},"unit":"milliseconds"},"cases":[{"input":{"a":"2024-01-02","b":"2024-01-01"},"output":-86400000}]}
      {"body":{"op":"dateDifference","from":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"a"},"pattern":"yyyy-MM-dd HH:mmXXX"},"to":{"op":"parseDate","text":{"op":"field","of":{"op":"input"},"name":"b"},"pattern":"yyyy-MM-dd HH:mmXXX"},"unit":"minutes"},"cases":[{"input":{"a":"2024-01-01 12:00+02:00","b":"2024-01-01 10:30Z"},"output":30}]}
    `,
  }),
  datePart: operator({
    fields: { date: expr(DATE), part: choice(DATE_PARTS) },
    operands: ['date'],
    result: NUMBER,
    meaning: 'One component; `missing` for the offset of a date without one.',
    fails: 'missing',
    evaluate:
      ({ part }) =>
      (date) =>
        partOf(date, part),
    vectors: String.raw`
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"year"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":2024}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"quarter"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":4}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"month"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":12}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"day"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":30}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"hour"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":13}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"minute"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":14}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"second"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":15}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"millisecond"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":161}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"weekday"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":1}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"dayOfYear"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":365}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"isoWeek"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":1}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"isoWeekYear"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":2025}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"daysInMonth"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":31}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"offsetMinutes"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":-90}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"unixSeconds"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":1735569855}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mm:ss.SSSXXX"},"part":"unixMilliseconds"},"cases":[{"input":"2024-12-30 13:14:15.161-01:30","output":1735569855161}]}
      {"body":{"op":"datePart","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy"},"part":"offsetMinutes"},"cases":[{"input":"2024","fails":"missing"}]}
    `,
  }),
  fromUnix: operator({
    fields: { value: expr(NUMBER), unit: optional(choice(UNIX_UNITS)) },
    operands: ['value'],
    result: DATE,
    meaning: 'The UTC date (offset 0) of a Unix time. Default unit `seconds`.',
    fails: 'out_of_range',
    evaluate:
      ({ unit = 'seconds' }) =>
      (value) =>
        fromUnixTime(value, unit),
    vectors: String.raw`
      {"body":{"op":"formatDate","date":{"op":"fromUnix","value":{"op":"input"}},"pattern":"yyyy-MM-dd'T'HH:mm:ssXXX"},"cases":[{"input":0,"output":"1970-01-01T00:00:00Z"},{"input":1709210096,"output":"2024-02-29T12:34:56Z"},{"input":1000000000000000.0,"fails":"out_of_range"}]}
      {"body":{"op":"formatDate","date":{"op":"fromUnix","value":{"op":"input"},"unit":"milliseconds"},"pattern":"HH:mm:ss.SSS"},"cases":[{"input":-1,"output":"23:59:59.999"}]}
      {"body":{"op":"formatDate","date":{"op":"fromUnix","value":{"op":"input"},"unit":"seconds"},"pattern":"yyyy-MM-dd HH:mm:ss.SSS XXX"},"cases":[{"input":0,"output":"1970-01-01 00:00:00.000 Z"},{"input":1.5,"output":"1970-01-01 00:00:01.500 Z"},{"input":1000000000000,"fails":"out_of_range"}]}
    `,
  }),
  atOffset: operator({
    fields: { date: expr(DATE), offsetMinutes: integer(-1439, 1439) },
    operands: ['date'],
    result: DATE,
    meaning: 'The same instant at another offset; a date without an offset is taken as UTC.',
    fails: 'out_of_range',
    evaluate:
      ({ offsetMinutes }) =>
      (date) =>
        moveToOffset(date, offsetMinutes),
    vectors: String.raw`
      {"body":{"op":"formatDate","date":{"op":"atOffset","date":{"op":"parseDate","text":{"op":"input"},"pattern":"yyyy-MM-dd HH:mmXXX"},"offsetMinutes":330},"pattern":"yyyy-MM-dd HH:mm xxx"},"cases":[{"input":"2024-12-31 20:00Z","output":"2025-01-01 01:30 +05:30"}]}
    `,
  }),
}
