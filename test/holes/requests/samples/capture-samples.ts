import type { ApiTenant, TestApi } from '../../../support/api.ts'
import { givenApproved, givenLogged } from '../../../support/people/given-belongings.ts'

/** A call that does something, and how often it was done. */
export interface Sample {
  readonly path: string
  readonly body?: unknown
  /** Makes the body of a multipart call. */
  readonly form?: () => FormData
  readonly effects: () => Promise<number>
}

/** Counts of what calls leave: rows of a table, lines of the ledger. */
export interface Effects {
  readonly rows: (table: string) => () => Promise<number>
  readonly lines: (action: string) => () => Promise<number>
}

/** Calls that store, review, forget and compile captures. */
export function captureSamples(
  api: TestApi,
  tenant: ApiTenant,
  { rows, lines }: Effects,
): Readonly<Record<string, Sample | (() => Promise<Sample>)>> {
  const capture = async () => await givenLogged(api, tenant)
  const template = async () => await givenApproved(api, tenant)
  return {
    logCaptures: {
      path: '/v1/capture/log',
      body: { items: [{ input: 'a', output: 'b' }] },
      effects: rows('captures'),
    },
    storeConversation: {
      path: '/v1/captures/multi-turn',
      body: { conversation_id: 'conv-1', conversation: [{ role: 'user', content: 'Where is it?' }] },
      effects: rows('captures'),
    },
    saveConversation: {
      path: '/v1/conversations',
      body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Where is it?' }] },
      effects: rows('conversations'),
    },
    storeMultimodal: {
      path: '/v1/captures/multimodal',
      body: { kind: 'image', payload: { data_uri: 'data:image/png;base64,YSBkb3Q=' } },
      effects: rows('capture_media'),
    },
    reviewCapture: async () => ({
      path: `/v1/captures/${await capture()}/review`,
      body: { action: 'approve' },
      effects: lines('capture.reviewed'),
    }),
    reviewCaptures: async () => ({
      path: '/v1/captures/review-bulk',
      body: { ids: [await capture()], action: 'approve' },
      effects: lines('capture.reviewed'),
    }),
    bulkCaptures: async () => ({
      path: '/v1/capture/bulk',
      body: { action: 'approve', capture_ids: [await capture()] },
      effects: lines('capture.reviewed'),
    }),
    observeCall: {
      path: '/v1/bridges/observe',
      body: { prompt: 'a', response: 'b' },
      effects: rows('captures'),
    },
    updateObservation: async () => ({
      path: `/v1/bridges/observations/${await capture()}`,
      body: { kept: true },
      effects: lines('capture.reviewed'),
    }),
    autoSynthesize: async () => ({
      path: '/v1/bridges/auto-synthesize',
      body: { template_hash: await template() },
      effects: rows('compile_jobs'),
    }),
    distillFromCaptures: async () => {
      await template()
      return {
        path: '/v1/distill/from-captures',
        body: { namespace: 'support', base_model: 'none' },
        effects: rows('distill_runs'),
      }
    },
    forgetCaptures: {
      path: '/v1/captures/forget',
      body: { confirm: true, subject: 'Ada Lovelace' },
      effects: rows('capture_forgets'),
    },
  }
}
