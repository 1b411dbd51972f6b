import { z } from 'zod'
import { CAPTURE_SOURCES } from '../../captures/capture.ts'
import { REVIEW_STATUSES } from '../../captures/review.ts'
import { NextCursor, pageQuery } from '../../../kernel/wire/page.ts'
import { CaptureItem } from './captures.ts'
import { CaptureNamespace, commaList } from './fields.ts'

/** Captures that `offset` passes over at most; `cursor` continues from any place. */
const MOST_OFFSET = 10_000

const Offset = z.coerce
  .number()
  .int()
  .min(0)
  .max(MOST_OFFSET)
  .default(0)
  .meta({ description: 'Captures to pass over; `cursor` is faster and goes on from any place' })

const Share = z.coerce.number().min(0).max(1)

/** Query parameters that select captures. */
export const CaptureFilterQuery = z.object({
  namespace: CaptureNamespace.optional(),
  status: commaList(REVIEW_STATUSES).optional().meta({ description: 'Review states' }),
  source: commaList(CAPTURE_SOURCES).optional().meta({ description: 'Ways in which captures are recorded' }),
  risk_min: Share.optional().meta({ description: 'Least risk score; captures without a score are left out' }),
  risk_max: Share.optional(),
  pii: z
    .string()
    .regex(/^[a-z_]{1,40}(?:,[a-z_]{1,40}){0,31}$/, { error: 'must be classes of sensitive data, with commas' })
    .transform((text) => text.split(','))
    .optional()
    .meta({
      override: { type: 'string' },
      description: 'Classes of which one was found, replaced or not',
      example: 'email',
    }),
  from: z.iso.datetime({ offset: true }).optional().meta({ description: 'From this time on' }),
  to: z.iso.datetime({ offset: true }).optional().meta({ description: 'Before this time' }),
  q: z
    .string()
    .min(3, { error: 'needs three characters at least' })
    .max(200)
    .optional()
    .meta({ description: 'A text in the prompt or the response, whatever its case' }),
})
/** The same, parsed. */
export type CaptureFilterQuery = z.infer<typeof CaptureFilterQuery>

/** The query of the list. */
export const ListCapturesQuery = CaptureFilterQuery.extend({ ...pageQuery(50, 200).shape, offset: Offset })

/** The query of the pages. */
export const BrowseCapturesQuery = z.object({
  namespace: CaptureNamespace.optional(),
  ...pageQuery(50, 500).shape,
  offset: Offset,
})

const Total = z.int().nullable().meta({ description: 'Captures on all pages; null beyond 10,000 and for a search' })

/** A page of captures. */
export const ListCapturesAnswer = z.object({
  total: Total,
  limit: z.int(),
  offset: z.int(),
  captures: z.array(CaptureItem),
  next_cursor: NextCursor,
})

const BrowsedCapture = CaptureItem.extend({ capture_id: z.string() }).meta({ id: 'BrowsedCapture' })

/** A page of captures, with their ids under both names. */
export const BrowseCapturesAnswer = z.object({
  count: z.int(),
  total: Total,
  limit: z.int(),
  offset: z.int(),
  namespace: z.string().nullable(),
  captures: z.array(BrowsedCapture),
  next_cursor: NextCursor,
})

/** State of the store of captures. */
export const CaptureHealthAnswer = z.object({
  ok: z.boolean(),
  driver: z.literal('postgres'),
  durable: z.boolean().meta({ description: 'Whether a capture recorded now outlives this process' }),
  subscriber_count: z.int().meta({ description: 'Live streams of your captures that this process serves' }),
  thresholds: z.array(z.int()),
  spilled_bytes: z.int().meta({ description: 'Bytes on the disk of this process that wait for the database' }),
  lost: z.int().meta({ description: 'Captures of this process that no store kept' }),
})
