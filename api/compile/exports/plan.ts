import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { isJsonObject } from '../../../core/kernel/json/json.ts'
import { classifierBytes } from '../../../core/model/export/classifier/export-classifier.ts'
import { tabularBytes } from '../../../core/model/export/tabular/export-tabular.ts'
import { planExport, type ExportPlan } from '../../../core/model/export/plans/plan-export.ts'
import type { ExportTarget } from '../../../core/model/export/targets.ts'
import { findBase } from '../../../core/model/files/find-base.ts'
import { readBaseConfig } from '../../../core/model/files/inspect-base.ts'
import type { Artifact } from '../../../db/compile/artifacts/artifact.ts'
import { findByCid, openArchive } from '../../../db/compile/artifacts/find-artifact.ts'
import { listWrittenExports } from '../../../db/compile/exports/written-sizes.ts'
import { measured, notMeasured, type Figure } from '../../../core/kernel/wire/figure.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { PlanExportBody, PlanView } from '../../../core/compile/wire/exports/plan.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { nounOf } from '../../../core/compile/rows/task.ts'
import { defineRoute } from '../services.ts'
import { loadStored } from '../submit/archive.ts'

export const planExportRoute = defineRoute({
  method: 'post',
  path: '/v1/export',
  operationId: 'planExport',
  group: 'artifacts',
  summary: 'Plan the conversion of an artifact to another format',
  description:
    'For an adapter: the size from the shapes of its base, and either that `POST /v1/exports` writes the file or the exact commands that make it elsewhere. A classifier or a tabular model becomes ONNX. An artifact without weights answers 400 `export_not_applicable`.',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  stores: 'bounded',
  limit: { name: 'export', limit: 'planning_calls_per_ip_minute', windowS: 60, counts: 'calls' },
  body: PlanExportBody,
  fieldCodes: { target: 'unknown_target' },
  answers: { 200: envelope('The plan', PlanView) },
  errors: [
    'not_found',
    'artifact_id_required',
    'unknown_target',
    'unknown_quant',
    'unknown_base_model',
    'export_not_applicable',
    'not_ready',
    'k_score_below_floor',
    'artifact_expired',
    'artifact_revoked',
  ],
}).handle(async ({ op, body, services }) => {
  const named = body.artifact_id ?? body.artifact ?? body.cid
  if (named === undefined) throw invalidField('artifact_id', 'is required', COMPILE_ERRORS.artifact_id_required)
  const artifact = await artifactNamed(op, named)
  const plan = await planFor(op, artifact, body.target, body.quant ?? null, services.settings.baseFolders)
  return {
    status: 200,
    body: {
      target: plan.target,
      quant: plan.quant,
      source: artifact.id,
      cid: artifact.cid,
      base_model: artifact.baseModel,
      plan: plan.isPlanOnly,
      est_output_bytes: plan.outputBytes,
      size_bytes: await measureSize(op, artifact, plan),
      est_output_gb: Math.round(plan.outputBytes / 1e3) / 1e6,
      hint: plan.hint,
      commands: [...plan.recipe.commands],
      tools: plan.recipe.tools,
      requires_gpu: plan.recipe.requiresGpu,
      hardware: plan.recipe.hardware,
      calibration: plan.recipe.calibration,
      runtimes: [...plan.recipe.runtimes],
      notes: [...plan.notes],
    },
  }
})

/** The size of the file that the newest export of the artifact to the format wrote. */
async function measureSize(op: Operation, { id }: Artifact, { target, quant }: ExportPlan): Promise<Figure> {
  const written = await listWrittenExports(op, { artifactId: id, target })
  const same = written.filter((one) => one.quant === null || one.quant === quant)
  const [newest] = same
  return newest === undefined
    ? notMeasured('no export of this artifact to this format has written a file')
    : measured(newest.sizeBytes, same.length, 'the file of your newest export of this artifact to this format')
}

/** The artifact with that id or, the newest, with that CID. Throws as a download of it does. */
async function artifactNamed(op: Operation, named: string): Promise<Artifact> {
  if (!named.startsWith('cidv1:')) return await openArchive(op, named)
  const [newest] = await findByCid(op, named)
  if (newest === undefined) throw KERNEL_ERRORS.not_found('no artifact has this CID')
  return await openArchive(op, newest.id)
}

async function planFor(
  op: Operation,
  artifact: Artifact,
  target: ExportTarget,
  quant: string | null,
  baseFolders: readonly string[],
): Promise<ExportPlan> {
  if (artifact.recipeKind === 'lora') {
    return planExport(await readBaseConfig(await findBase(artifact.baseModel, baseFolders)), target, quant)
  }
  const level = quant?.toLowerCase()
  if (artifact.recipeKind === 'classifier' && target === 'onnx' && (level === undefined || level === 'fp32')) {
    return graphPlan('fp32', await classifierSize(op, artifact), CLASSIFIER_NOTE)
  }
  if (artifact.recipeKind === 'tabular' && target === 'onnx' && (level === undefined || level === 'fp64')) {
    return graphPlan('fp64', await tabularSize(op, artifact), TABULAR_NOTE)
  }
  throw MODEL_ERRORS.export_not_applicable(
    `the artifact is a ${nounOf(artifact.recipeKind)}: it has no weights that ${target}${quant === null ? '' : ` ${quant}`} could hold`,
    { details: { recipe_kind: artifact.recipeKind } },
  )
}

async function classifierSize(op: Operation, artifact: Artifact): Promise<number> {
  const { recipe, members } = (await loadStored(op, artifact)).content
  const weights = members.get('weights.bin')
  if (recipe.kind !== 'classifier' || weights === undefined || !isJsonObject(recipe.classifier)) {
    throw COMPILE_ERRORS.invalid_archive('the archive holds no classifier')
  }
  return classifierBytes(weights)
}

async function tabularSize(op: Operation, artifact: Artifact): Promise<number> {
  const { recipe, members } = (await loadStored(op, artifact)).content
  const weights = members.get('weights.bin')
  if (recipe.kind !== 'tabular' || weights === undefined)
    throw COMPILE_ERRORS.invalid_archive('the archive holds no tabular model')
  return tabularBytes(recipe.tabular, weights)
}

const CLASSIFIER_NOTE =
  'The graph begins with the hashed features of an input; how a text becomes those is part of the classifier format.'
const TABULAR_NOTE =
  'The graph begins with the features of an input and computes in float64; how an input becomes those is part of the tabular format.'

function graphPlan(quant: 'fp32' | 'fp64', outputBytes: number, note: string): ExportPlan {
  return {
    target: 'onnx',
    quant,
    isPlanOnly: false,
    outputBytes,
    recipe: {
      commands: [],
      tools: 'none',
      requiresGpu: false,
      hardware: 'none: the service converts on its own processors',
      calibration: null,
      runtimes: ['onnxruntime'],
    },
    hint: 'POST /v1/exports {"artifact_id": "...", "target": "onnx"}',
    notes: ['The service writes this file itself.', note],
  }
}
