import { z } from 'zod'
import { ACTION_PRIORITIES, type ActionType } from '../../next-actions.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'

const ACTION_TYPES: readonly ActionType[] = [
  'readiness',
  'drift',
  'stale',
  'idle',
  'cost',
  'security',
  'fallbacks',
  'compile',
]

/** A proposal for the tenant. */
export const NextActionView = z
  .object({
    type: z.enum(ACTION_TYPES),
    priority: z.int().meta({ description: `1 to ${Object.keys(ACTION_PRIORITIES).length}, 1 comes first` }),
    title: z.string(),
    body: z.string(),
    cta_label: z.string(),
    cta_href: z.string(),
    params: z.record(z.string(), JsonValue),
    dismiss_key: z.string().meta({ description: 'Key to dismiss it with' }),
  })
  .meta({ id: 'NextAction' })
