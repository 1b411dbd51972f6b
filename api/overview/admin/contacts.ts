import { countContacts, listContacts } from '../../../db/overview/across/contacts/list-contacts.ts'
import { recordContact } from '../../../db/overview/across/contacts/record-contact.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { pageQuery } from '../../../core/kernel/wire/page.ts'
import {
  AdminListSubmissionsAnswer,
  AdminListWaitlistAnswer,
  JoinWaitlistAnswer,
  JoinWaitlistBody,
  SubmitNoteAnswer,
  SubmitNoteBody,
} from '../../../core/overview/wire/admin/contacts.ts'
import { defineRoute } from '../services.ts'

/** The declaration that the lists of submissions and of the waitlist share. */
const contactLists = {
  method: 'get',
  group: 'admin',
  auth: 'admin',
  scope: undefined,
  query: pageQuery(100, 500),
  errors: ['invalid_cursor'],
} as const

async function readPage(
  op: Operation,
  kind: 'waitlist' | 'submission',
  query: { readonly limit: number; readonly cursor?: string | undefined },
) {
  const [page, total] = await Promise.all([listContacts(op, { ...query, kind }), countContacts(op, kind)])
  const rows = page.items.map(({ id, email, name, note, createdAt }) => ({
    id,
    email,
    name: name ?? null,
    note: note ?? null,
    created_at: createdAt.toISOString(),
  }))
  return { total, rows, next_cursor: page.nextCursor }
}

export const listSubmissionsRoute = defineRoute({
  ...contactLists,
  path: '/v1/admin/submissions',
  operationId: 'adminListSubmissions',
  summary: 'List the messages to the operators, newest first',
  answers: { 200: envelope('One page', AdminListSubmissionsAnswer) },
}).handle(async ({ op, query }) => {
  const { rows, ...page } = await readPage(op, 'submission', query)
  return { status: 200, body: { ...page, submissions: rows } }
})

export const listWaitlistRoute = defineRoute({
  ...contactLists,
  path: '/v1/admin/waitlist',
  operationId: 'adminListWaitlist',
  summary: 'List the waitlist, newest first',
  answers: { 200: envelope('One page', AdminListWaitlistAnswer) },
}).handle(async ({ op, query }) => {
  const { rows, ...page } = await readPage(op, 'waitlist', query)
  return { status: 200, body: { ...page, waitlist: rows } }
})

/** The declaration that the two public forms share; they also share one count per address. */
const forms = {
  method: 'post',
  group: 'admin',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  limit: { name: 'contact', limit: 'waitlist_per_ip_hour', windowS: 3600, counts: 'calls' },
} as const

export const joinWaitlistRoute = defineRoute({
  ...forms,
  path: '/v1/waitlist',
  operationId: 'joinWaitlist',
  summary: 'Join the waitlist for an invitation',
  description: 'An address on the list gets the same answer.',
  body: JoinWaitlistBody,
  answers: { 202: envelope('The address is on the list', JoinWaitlistAnswer) },
}).handle(async ({ services, body }) => {
  await recordContact(services.db, { kind: 'waitlist', ...body, now: services.now(), limits: services.limits })
  return { status: 202, body: {} }
})

export const submitNoteRoute = defineRoute({
  ...forms,
  path: '/v1/submissions',
  operationId: 'submitNote',
  summary: 'Send a message to the operators',
  body: SubmitNoteBody,
  answers: { 202: envelope('It will be read', SubmitNoteAnswer) },
}).handle(async ({ services, body }) => {
  await recordContact(services.db, { kind: 'submission', ...body, now: services.now(), limits: services.limits })
  return { status: 202, body: {} }
})
