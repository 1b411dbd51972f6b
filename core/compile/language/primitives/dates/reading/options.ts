/** Orders of the day, the month and the year in dates of numbers. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd', 'ydm'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

/** Calendars whose years can be read; a year of the Buddhist calendar is 543 more. */
export const CALENDARS = ['gregorian', 'buddhist'] as const
export type Calendar = (typeof CALENDARS)[number]

/** Parts that a text can be required to name. */
export const DATE_NEEDS = ['year', 'month', 'day', 'time'] as const
export type DateNeed = (typeof DATE_NEEDS)[number]

/** Arguments of `readDate`. */
export interface DateReading {
  /** The order of numbers that may be read in several; without it, such a text has no reading. */
  readonly order?: DateOrder
  /** The order for one separator, its first character; the empty text means digits without one. */
  readonly orders?: readonly { readonly separator: string; readonly order: DateOrder }[]
  /** Years of two digits below it are 20yy, the others 19yy; default 69. */
  readonly pivot?: number
  /** Locales whose names are read; default all of them. */
  readonly locales?: readonly string[]
  readonly calendar?: Calendar
  /** Parts without which a text has no reading. */
  readonly needs?: readonly DateNeed[]
}
