import { DATES } from './dates.ts'
import { INVOICE_LINES } from './invoice-lines.ts'
import { NAMES } from './names.ts'
import { PHONE_NUMBERS } from './phone-numbers.ts'
import { SUPPORT_QUEUES } from './support-queues.ts'
import type { Template } from './template.ts'

/** The starter templates, in the order in which they are shown. */
export const TEMPLATES: readonly Template[] = [PHONE_NUMBERS, DATES, NAMES, INVOICE_LINES, SUPPORT_QUEUES]
