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

/** Calls that store, review, forget and compile captures; one of them is there, and four approved ones of a template. */
export function captureSamples(
  { capture, template }: { readonly capture: string; readonly template: string },
  { rows, lines }: Effects,
): Readonly<Record<string, Sample>> {
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
    reviewCapture: {
      path: `/v1/captures/${capture}/review`,
      body: { action: 'approve' },
      effects: lines('capture.reviewed'),
    },
    reviewCaptures: {
      path: '/v1/captures/review-bulk',
      body: { ids: [capture], action: 'approve' },
      effects: lines('capture.reviewed'),
    },
    bulkCaptures: {
      path: '/v1/capture/bulk',
      body: { action: 'approve', capture_ids: [capture] },
      effects: lines('capture.reviewed'),
    },
    observeCall: {
      path: '/v1/bridges/observe',
      body: { prompt: 'a', response: 'b' },
      effects: rows('captures'),
    },
    updateObservation: {
      path: `/v1/bridges/observations/${capture}`,
      body: { kept: true },
      effects: lines('capture.reviewed'),
    },
    autoSynthesize: {
      path: '/v1/bridges/auto-synthesize',
      body: { template_hash: template },
      effects: rows('compile_jobs'),
    },
    distillFromCaptures: {
      path: '/v1/distill/from-captures',
      body: { namespace: 'support', base_model: 'none' },
      effects: rows('distill_runs'),
    },
    forgetCaptures: {
      path: '/v1/captures/forget',
      body: { confirm: true, subject: 'Ada Lovelace' },
      effects: rows('capture_forgets'),
    },
  }
}
