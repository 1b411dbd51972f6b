import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import { z } from 'zod'
import { SPECS } from '../../../core/compile/archive/specs.ts'
import { sha256 } from '../../../core/kernel/json/json.ts'
import { listPublicConcepts, type PublicConcept } from '../../../db/compile/across/public-concepts.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { envelope, rawAnswer } from '../../kernel/reply/answers.ts'
import { GetRegistryAnswer, type RecipeView, type SpecView } from '../../../core/compile/wire/registry.ts'
import { figuresOf } from '../../../core/compile/wire/jobs/figures.ts'
import { notMeasured } from '../../../core/kernel/wire/figure.ts'
import { TEMPLATES } from '../../../core/compile/stages/advice/templates/catalog.ts'
import { defineRoute } from '../services.ts'

const PAGE = 200
/** Most public concepts that one export holds. */
const MAX_EXPORTED = 10_000
const CACHE = 'public, max-age=60'

const presentConcept = (concept: PublicConcept): z.input<typeof RecipeView> => ({
  id: concept.id,
  kind: 'concept',
  name: concept.name,
  description: concept.description,
  cid: concept.cid,
  k_score: concept.kScore,
  accepted_below_floor: concept.cid === null ? null : concept.isBelowFloor,
  figures: { k_score: figuresOf(concept.envelope ?? undefined)?.k_score ?? notMeasured('no version is published') },
  updated_at: concept.updatedAt.toISOString(),
})

const specs = SPECS.map(({ id, title, schema }): z.input<typeof SpecView> => ({
  id,
  title,
  ...(schema && { schema: { ...z.toJSONSchema(schema, { unrepresentable: 'any' }) } }),
}))

const templates = TEMPLATES.map((template): z.input<typeof RecipeView> => ({
  id: template.id,
  kind: 'template',
  name: template.name,
  description: template.description,
  cid: null,
  k_score: null,
  accepted_below_floor: null,
  figures: { k_score: notMeasured('a template is no compiled recipe') },
  updated_at: null,
}))

export const getRegistryRoute = defineRoute({
  method: 'get',
  path: '/v1/registry/public',
  limit: DOCUMENTS,
  keptForS: 5,
  operationId: 'getRegistry',
  group: 'registry',
  summary: 'List featured recipes, fingerprints of base models and specifications of receipts',
  auth: 'public',
  scope: undefined,
  answers: {
    200: envelope('Everything that the service publishes', GetRegistryAnswer),
  },
}).handle(async ({ services }) => {
  const page = await listPublicConcepts(services.db, { limit: PAGE })
  return {
    status: 200,
    body: { recipes: [...page.items.map(presentConcept), ...templates], base_models: [], specs },
    headers: { 'Cache-Control': CACHE },
  }
})

export const exportRegistryRoute = defineRoute({
  method: 'get',
  path: '/v1/registry/export',
  operationId: 'exportRegistry',
  group: 'registry',
  summary: 'List the public registry, one JSON object per line',
  description: 'Sixty times a minute per address. `If-None-Match` with the ETag of the last export answers 304.',
  auth: 'public',
  scope: undefined,
  limit: { name: 'registry-export', limit: 'registry_exports_per_ip_minute', windowS: 60, counts: 'calls' },
  answers: {
    200: rawAnswer('One entry per line: `{"type": "recipe" | "spec", …}`', 'application/x-ndjson; charset=utf-8'),
    304: rawAnswer('Nothing changed', 'application/x-ndjson; charset=utf-8'),
  },
}).handle(async ({ services, request }) => {
  const entries = [
    ...(await publicConcepts(services.db)).map((recipe) => ({ type: 'recipe', ...recipe })),
    ...templates.map((recipe) => ({ type: 'recipe', ...recipe })),
    ...specs.map((spec) => ({ type: 'spec', ...spec })),
  ]
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  const etag = `"${sha256(text)}"`
  const headers = { ETag: etag, 'Cache-Control': CACHE }
  if (request.headers['if-none-match'] === etag) return { status: 304, raw: { kind: 'empty' }, headers }
  return { status: 200, raw: { kind: 'bytes', bytes: text }, headers }
})

async function publicConcepts(db: Database): Promise<z.input<typeof RecipeView>[]> {
  const found: z.input<typeof RecipeView>[] = []
  for (let cursor: string | undefined; found.length < MAX_EXPORTED;) {
    const page = await listPublicConcepts(db, { limit: PAGE, cursor })
    found.push(...page.items.map(presentConcept))
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  return found
}
