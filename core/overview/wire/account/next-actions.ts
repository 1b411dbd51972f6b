import { z } from 'zod'
import { NextActionView } from './next-action.ts'

/** Answer of `GET /v1/account/next-actions`. */
export const ListNextActionsAnswer = z.object({
  count: z.int(),
  actions: z.array(NextActionView),
  generated_at: z.iso.datetime(),
})

/** Body of `POST /v1/account/next-actions/snooze`. */
export const SnoozeNextActionBody = z.object({
  dismiss_key: z.string().min(1).max(200).meta({ description: '`dismiss_key` of the suggestion' }),
  days: z.int().min(1).max(365).default(14),
})

/** Answer of `POST /v1/account/next-actions/snooze`. */
export const SnoozeNextActionAnswer = z.object({
  snooze: z.object({
    tenant: z.string().meta({ description: 'Id of the tenant' }),
    dismiss_key: z.string(),
    until_ts: z.iso.datetime(),
    snoozed_at: z.iso.datetime(),
  }),
})
