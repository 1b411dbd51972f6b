import { z } from 'zod'
import { proposedActions } from '../../../db/overview/account/proposed-actions.ts'
import { snoozeAction } from '../../../db/overview/account/snoozes.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { presentNextAction } from './next-action-schema.ts'
import {
  ListNextActionsAnswer,
  SnoozeNextActionAnswer,
  SnoozeNextActionBody,
} from '../../../core/overview/wire/account/next-actions.ts'
import { defineRoute } from '../services.ts'

export const listNextActionsRoute = defineRoute({
  method: 'get',
  path: '/v1/account/next-actions',
  operationId: 'listNextActions',
  group: 'accounts',
  summary: 'List suggested next actions, most important first',
  description: 'Derived from the current jobs, artifacts, calls, captured events, spending and keys.',
  auth: 'key',
  scope: 'account:read',
  namespace: 'bounded',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(50).default(5).meta({ description: 'Largest number of proposals' }),
  }),
  answers: {
    200: envelope('By priority, then by how much there is to each', ListNextActionsAnswer),
  },
}).handle(async ({ op, query }) => {
  const actions = (await proposedActions(op)).slice(0, query.limit)
  return {
    status: 200,
    body: { count: actions.length, actions: actions.map(presentNextAction), generated_at: op.now().toISOString() },
  }
})

export const snoozeNextActionRoute = defineRoute({
  method: 'post',
  path: '/v1/account/next-actions/snooze',
  operationId: 'snoozeNextAction',
  group: 'accounts',
  summary: 'Dismiss a suggestion for some days',
  auth: 'key',
  scope: 'account:write',
  namespace: 'refused',
  stores: 'bounded',
  idempotency: 'kernel',
  body: SnoozeNextActionBody,
  answers: {
    200: envelope('Until when it is silent', SnoozeNextActionAnswer),
  },
}).handle(async ({ op, services: { limits }, body }) => {
  const snoozed = await snoozeAction(op, { dismissKey: body.dismiss_key, days: body.days, limits })
  return {
    status: 200,
    body: {
      snooze: {
        tenant: op.tenantId,
        dismiss_key: snoozed.dismissKey,
        until_ts: snoozed.until.toISOString(),
        snoozed_at: snoozed.snoozedAt.toISOString(),
      },
    },
  }
})
