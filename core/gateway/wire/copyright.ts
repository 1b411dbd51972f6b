import { z } from 'zod'
import { COPYRIGHT_KINDS, COPYRIGHT_SIDES } from '../captures/copyright/hit.ts'
import { REVIEW_STATUSES } from '../captures/review.ts'
import type { Limits } from '../limits.ts'
import { textUpTo } from '../../kernel/wire/text.ts'

/** Characters of a text that may be sent; the beginning is scanned. */
const MOST_CHARS = 1_000_000

/** Body of `POST /v1/copyright/scan`: a text, or the id of a capture. */
export const CopyrightScanBody = z
  .object({
    text: textUpTo(MOST_CHARS).optional().meta({ description: 'The text; its first 65,536 characters are scanned' }),
    capture_id: z.string().min(1).max(64).optional().meta({ description: 'A capture, in place of a text' }),
  })
  .refine(({ text, capture_id: id }) => (text === undefined) !== (id === undefined), {
    error: 'must have either text or capture_id',
    path: ['text'],
  })
  .meta({
    id: 'CopyrightScan',
    example: { text: 'SPDX-License-Identifier: GPL-3.0-only. Copyright 2026 Example Corp.' },
    override: { oneOf: [{ required: ['text'] }, { required: ['capture_id'] }] },
  })

const Hit = z
  .object({
    kind: z.enum(COPYRIGHT_KINDS),
    match: z.string().meta({ description: 'As it stands in the text' }),
    at: z.int().meta({ description: 'Place of its first character' }),
    side: z.enum(COPYRIGHT_SIDES),
  })
  .meta({ id: 'CopyrightHit' })

const Risk = z.number().min(0).max(1)
const Reason = z.string().nullable().meta({ example: 'copyright_heuristic:code_copyright,spdx' })
const Version = z.string().meta({ description: 'Of the lists of names and titles' })

/** Answer of `POST /v1/copyright/scan`. */
export const CopyrightScanAnswer = z.object({
  label: z.literal('heuristic').meta({ description: 'A hit proves no right, and no hit proves that there is none' }),
  capture_id: z.string().nullable(),
  risk: Risk.meta({ description: 'A quarter for each distinct hit, at most 1; of a capture the higher side' }),
  input_risk: Risk.nullable().meta({ description: 'Of the prompt of a capture' }),
  output_risk: Risk.nullable().meta({ description: 'Of its response' }),
  suggestion: z.enum(['none', 'quarantine']).meta({ description: '`quarantine` from a risk of 0.5 on' }),
  reason: Reason,
  hits: z.array(Hit).meta({ description: 'At most 16' }),
  hit_count: z.int(),
  allowed_hits: z.array(Hit).meta({ description: 'Matches that a licence covers; at most 16' }),
  licensed_overlap: Risk.nullable().meta({
    description: 'Share of the parts of five words that stand in the licensed texts of the tenant',
  }),
  scanned_chars: z.int(),
  is_cut: z.boolean().meta({ description: 'Whether the text goes on behind what was scanned' }),
  version: Version,
})

/** Answer of `GET /v1/copyright/queue/{namespace}`. */
export const CopyrightQueueAnswer = z.object({
  namespace: z.string(),
  total: z.int(),
  unscanned: z
    .int()
    .meta({ description: 'Captures of the tenant that were not scanned yet; a chore does it each minute' }),
  captures: z.array(
    z
      .object({
        staged_capture_id: z.string(),
        capture_id: z.string(),
        namespace: z.string(),
        staged_at: z.iso.datetime().meta({ description: 'When it was scanned' }),
        quarantine_state: z.enum(REVIEW_STATUSES).meta({ description: 'Review state of the capture' }),
        flag_reason: Reason,
        copyright_heuristic_risk: Risk,
        copyright_heuristic_hits: z.array(Hit),
        hit_count: z.int(),
        version: Version,
      })
      .meta({ id: 'FlaggedCapture' }),
  ),
  version: Version,
})

const Note = textUpTo(200).nullable().optional().meta({ description: 'Whose licence it is' })

/** Body of `PUT /v1/copyright/allowlist`. */
export const CopyrightAllowlistBody = (limits: Pick<Limits, 'copyright_allowances_per_tenant'>) =>
  z
    .object({
      entries: z
        .array(
          z
            .object({
              text: textUpTo(100_000).meta({
                description: 'A name or title, or a licensed text of five words and more',
              }),
              note: Note,
            })
            .meta({ id: 'CopyrightAllowance' }),
        )
        .max(limits.copyright_allowances_per_tenant),
    })
    .meta({
      id: 'CopyrightAllowlist',
      example: { entries: [{ text: 'Peppa Pig', note: 'licence 17 of 2026' }] },
    })

/** The list as it is in force. */
export const CopyrightAllowlistAnswer = z.object({
  entries: z.array(z.object({ text: z.string(), note: z.string().nullable() }).meta({ id: 'KeptCopyrightAllowance' })),
})
