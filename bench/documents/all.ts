import { BLOCKS } from './blocks.ts'
import { INVOICES } from './invoices.ts'
import { LOGS } from './logs.ts'
import { MAILS } from './mails.ts'
import { PAGES } from './pages.ts'
import { TABLES } from './tables.ts'

/** Every task of long documents. */
export const DOCUMENT_TASKS = [...LOGS, ...MAILS, ...INVOICES, ...PAGES, ...BLOCKS, ...TABLES]
