import { z } from 'zod'
import { RawBytes } from '../../../core/kernel/wire/values.ts'
import { BenchPackId } from '../../../core/kernel/wire/ids.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { BENCHMARKS } from '../../../core/learn/evals/bench/benchmarks.ts'
import { BenchPackView, DeletePackAnswer, ListPacksAnswer } from '../../../core/learn/wire/bench/packs.ts'
import { EvalNamespace } from '../../../core/learn/wire/evals/evals.ts'
import { defaultNamespace, requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import { deletePack } from '../../../db/learn/bench/delete-pack.ts'
import { findPack, listPacks, type ShownPack } from '../../../db/learn/bench/find-pack.ts'
import { storePack } from '../../../db/learn/bench/store-pack.ts'
import { requireAllowance } from '../../../db/kernel/storage/allowance.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { requireAccount } from '../gates/gate.ts'
import { defineRoute } from '../services.ts'
import { listInstalled } from '../../../core/learn/evals/bench/packs/installed-packs.ts'

export const storePackRoute = defineRoute({
  method: 'post',
  path: '/v1/bench/packs',
  operationId: 'storeBenchPack',
  group: 'bench',
  summary: 'Upload a pack of a benchmark',
  description: (limits) =>
    `The body is the official file as it is, at most ${limits.bench_pack_bytes} bytes: of MMLU the tar (or a zip) with \`test/<subject>_test.csv\` and \`dev/<subject>_dev.csv\`, of HumanEval \`HumanEval.jsonl\`, of MT-Bench \`question.jsonl\`; each may be compressed by gzip. Archives with links are refused. The same file again is the pack that you have. From then on the texts of a dataset are compared with it.`,
  auth: 'key',
  scope: 'eval:write',
  namespace: 'bounded',
  limit: { name: 'bench-uploads', limit: 'bench_uploads_per_ip_minute', windowS: 60, counts: 'calls' },
  rawBody: 'bench_pack_bytes',
  stores: 'blobs',
  query: z.object({
    benchmark: z.enum(BENCHMARKS).meta({ description: 'The benchmark whose questions it holds' }),
    name: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'A name for people; that of the benchmark when absent' }),
    namespace: EvalNamespace.optional(),
  }),
  body: RawBytes,
  answers: { 201: envelope('The pack is stored', BenchPackView) },
  errors: [
    'forbidden',
    'bench_pack_invalid',
    'bench_pack_empty',
    'bench_pack_link_rejected',
    'bench_pack_too_large',
    'limit_reached',
    'storage_allowance_used',
    'storage_full',
    'busy',
  ],
}).handle(async ({ op, principal, services, query, body, endOfCall }) => {
  requireAccount(principal)
  const { limits } = services
  const { benchmark, name = benchmark } = query
  const namespace = query.namespace ?? defaultNamespace(op)
  requireNamespace(op, namespace)
  await requireAllowance(op, limits)
  const given = { benchmark, bytes: body, maxBytes: limits.bench_pack_inflated_bytes }
  const pack = await services.evals.readPack(op.tenantId, given, endOfCall())
  return { status: 201, body: presentPack(await storePack(op, { namespace, benchmark, name, pack, limits })) }
})

export const listPacksRoute = defineRoute({
  method: 'get',
  path: '/v1/bench/packs',
  operationId: 'listBenchPacks',
  group: 'bench',
  summary: 'List packs of benchmarks, newest first',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  query: pageOf(20),
  answers: { 200: envelope('One page', ListPacksAnswer) },
  errors: ['invalid_cursor'],
}).handle(async ({ op, services, query }) => {
  const { items, nextCursor } = await listPacks(op, query)
  const installed = await listInstalled(services.settings.benchPacksDir)
  return {
    status: 200,
    body: {
      packs: items.map(presentPack),
      count: items.length,
      next_cursor: nextCursor,
      installed: installed.map(({ benchmark, file, sizeBytes }) => ({ benchmark, file, size_bytes: sizeBytes })),
    },
  }
})

export const getPackRoute = defineRoute({
  method: 'get',
  path: '/v1/bench/packs/{pack_id}',
  operationId: 'getBenchPack',
  group: 'bench',
  summary: 'Show a pack of a benchmark',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  params: z.object({ pack_id: BenchPackId }),
  answers: { 200: envelope('The pack', BenchPackView) },
}).handle(async ({ op, params }) => ({ status: 200, body: presentPack(await findPack(op, params.pack_id)) }))

export const deletePackRoute = defineRoute({
  method: 'delete',
  path: '/v1/bench/packs/{pack_id}',
  operationId: 'deleteBenchPack',
  group: 'bench',
  summary: 'Delete a pack of a benchmark',
  description: 'Runs keep the questions that they asked.',
  auth: 'key',
  scope: 'eval:write',
  namespace: 'bounded',
  params: z.object({ pack_id: BenchPackId }),
  answers: { 200: envelope('The pack is gone', DeletePackAnswer) },
}).handle(async ({ op, params: { pack_id: id } }) => {
  await deletePack(op, id)
  return { status: 200, body: { deleted: true, pack_id: id } }
})

function presentPack(pack: ShownPack): z.input<typeof BenchPackView> {
  const { id, fileSha256, sizeBytes, createdAt, blob: _, ...rest } = pack
  return {
    pack_id: id,
    ...rest,
    size_bytes: sizeBytes,
    pack_sha256: fileSha256,
    created_at: createdAt.toISOString(),
  }
}
