import { z } from 'zod'
import { readyAllowlist } from '../../../core/gateway/captures/copyright/allowlist.ts'
import { scanCapture } from '../../../core/gateway/captures/copyright/flag.ts'
import type { CopyrightHit } from '../../../core/gateway/captures/copyright/hit.ts'
import {
  LISTS_VERSION,
  MOST_HITS,
  reasonFor,
  scanCopyright,
  suggestsQuarantine,
} from '../../../core/gateway/captures/copyright/scan.ts'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import { CaptureNamespace } from '../../../core/gateway/wire/captures/fields.ts'
import {
  CopyrightAllowlistAnswer,
  CopyrightAllowlistBody,
  CopyrightQueueAnswer,
  CopyrightScanAnswer,
  CopyrightScanBody,
} from '../../../core/gateway/wire/copyright.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { getCapture } from '../../../db/gateway/captures/get-capture.ts'
import { putAllowances, readAllowances } from '../../../db/gateway/copyright/allowlist.ts'
import { listFlagged, storeScan, type FlaggedCapture } from '../../../db/gateway/copyright/flags.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { requireAccess } from './access.ts'

type Scanned = z.input<typeof CopyrightScanAnswer>

export const scanCopyrightRoute = defineRoute({
  method: 'post',
  path: '/v1/copyright/scan',
  operationId: 'scanCopyright',
  group: 'captures',
  summary: 'Look for names, titles and notices of others in a text or a capture',
  description:
    'A heuristic over short lists of characters and song titles, copyright notices and SPDX marks, by whole words; it is no legal advice. Names and texts that the tenant may use (`PUT /v1/copyright/allowlist`) do not count. The scan of a capture puts it into the queue of its namespace, or takes it out.',
  auth: 'key',
  scope: 'capture:read',
  namespace: 'bounded',
  stores: 'bounded',
  bodyLimit: 'copyright_allowlist_bytes',
  body: CopyrightScanBody,
  answers: { 200: envelope('What was found', CopyrightScanAnswer) },
  errors: ['not_found', 'forbidden', 'capture_without_content'],
})
  .authorize(async ({ op, principal, body }) => {
    if (body.capture_id !== undefined) await requireAccess({ op, principal }, 'capture:read')
  })
  .handle(async ({ op, body: { text, capture_id: id } }) => {
    const allowlist = readyAllowlist(await readAllowances(op, op.tenantId))
    if (id !== undefined) return { status: 200, body: await scanStored(op, id, allowlist) }
    const scan = scanCopyright(text ?? '', allowlist, 'text')
    const { risk, hits, allowed, licensedOverlap, scannedChars, isCut } = scan
    const sides = { capture_id: null, input_risk: null, output_risk: null }
    return {
      status: 200,
      body: { ...sides, ...resultOf(risk, hits, allowed), ...extentOf(licensedOverlap, scannedChars, isCut) },
    }
  })

async function scanStored(op: Operation, id: string, allowlist: ReturnType<typeof readyAllowlist>): Promise<Scanned> {
  const { content, namespace, forgottenAt } = await getCapture(op, id)
  if (forgottenAt !== null) throw KERNEL_ERRORS.not_found('no such capture')
  if (content === null) {
    throw GATEWAY_ERRORS.capture_without_content(
      'the capture was recorded without its content; there is no text to scan',
    )
  }
  const scan = scanCapture(content, allowlist)
  await storeScan(op, { captureId: id, namespace, scan })
  const { input, output, risk, hits } = scan
  const overlap = Math.max(input.licensedOverlap ?? 0, output.licensedOverlap ?? 0)
  return {
    capture_id: id,
    input_risk: input.risk,
    output_risk: output.risk,
    ...resultOf(risk, hits, [...input.allowed, ...output.allowed]),
    ...extentOf(overlap, input.scannedChars + output.scannedChars, input.isCut || output.isCut),
  }
}

function resultOf(risk: number, hits: readonly CopyrightHit[], allowed: readonly CopyrightHit[]) {
  return {
    label: 'heuristic' as const,
    risk,
    suggestion: suggestsQuarantine(risk) ? ('quarantine' as const) : ('none' as const),
    reason: reasonFor(hits),
    hits: hits.slice(0, MOST_HITS),
    hit_count: hits.length,
    allowed_hits: allowed.slice(0, MOST_HITS),
  }
}

function extentOf(licensedOverlap: number | null, scannedChars: number, isCut: boolean) {
  return { licensed_overlap: licensedOverlap, scanned_chars: scannedChars, is_cut: isCut, version: LISTS_VERSION }
}

export const listCopyrightQueueRoute = defineRoute({
  method: 'get',
  path: '/v1/copyright/queue/{namespace}',
  operationId: 'listCopyrightQueue',
  group: 'captures',
  summary: 'List captures of a namespace that the copyright heuristic suggests to quarantine',
  description:
    'Captures that wait for a review or are in quarantine, newest first. A chore scans new captures each minute; a review of the capture takes it out of the queue.',
  auth: 'key',
  scope: 'capture:read',
  orScopes: ['lake:read'],
  namespace: 'bounded',
  params: z.object({ namespace: CaptureNamespace }),
  query: z.object({ limit: z.coerce.number().int().min(1).max(500).default(100) }),
  answers: { 200: envelope('The queue', CopyrightQueueAnswer) },
  errors: ['forbidden'],
})
  .authorize(async ({ op, principal, params }) => {
    await requireAccess({ op, principal }, 'capture:read', params.namespace)
  })
  .handle(async ({ op, params: { namespace }, query: { limit } }) => {
    const { captures, total, unscanned } = await listFlagged(op, { namespace, limit })
    return {
      status: 200,
      body: { namespace, total, unscanned, captures: captures.map(presentFlagged), version: LISTS_VERSION },
    }
  })

function presentFlagged(flagged: FlaggedCapture): z.input<typeof CopyrightQueueAnswer>['captures'][number] {
  const { captureId, namespace, scannedAt, risk, hits, hitCount, version, status } = flagged
  return {
    staged_capture_id: captureId,
    capture_id: captureId,
    namespace,
    staged_at: scannedAt.toISOString(),
    quarantine_state: status,
    flag_reason: reasonFor(hits),
    copyright_heuristic_risk: risk,
    copyright_heuristic_hits: hits.map((hit) => ({ ...hit })),
    hit_count: hitCount,
    version,
  }
}

/** Facts that the two routes of the list share. */
const ALLOWLIST = { path: '/v1/copyright/allowlist', group: 'captures', auth: 'key' } as const

export const getCopyrightAllowlistRoute = defineRoute({
  ...ALLOWLIST,
  method: 'get',
  operationId: 'getCopyrightAllowlist',
  summary: 'List the names and texts that the tenant may use',
  scope: 'capture:read',
  namespace: 'refused',
  answers: { 200: envelope('The list', CopyrightAllowlistAnswer) },
}).handle(async ({ op }) => {
  const entries = await readAllowances(op, op.tenantId)
  return { status: 200, body: { entries: entries.map((entry) => ({ ...entry })) } }
})

export const putCopyrightAllowlistRoute = defineRoute({
  ...ALLOWLIST,
  method: 'put',
  operationId: 'putCopyrightAllowlist',
  summary: 'Replace the names and texts that the tenant may use',
  description:
    'The copyright heuristic passes over hits that are such a name or stand within such a text: the five words around a hit are compared. Captures that were scanned before keep their flags until they are scanned again.',
  scope: 'privacy:write',
  namespace: 'refused',
  stores: 'bounded',
  bodyLimit: 'copyright_allowlist_bytes',
  body: CopyrightAllowlistBody,
  answers: { 200: envelope('The list', CopyrightAllowlistAnswer) },
  errors: ['forbidden'],
})
  .authorize(async ({ op, principal }) => {
    await requireAccess({ op, principal }, 'privacy:configure')
  })
  .handle(async ({ op, body }) => {
    const entries = body.entries.map(({ text, note = null }) => ({ text, note }))
    await putAllowances(op, entries)
    return { status: 200, body: { entries } }
  })
