import { loadArchive, type LoadedArchive } from '../../../core/compile/runtime/load-archive.ts'
import { nounOf } from '../../../core/compile/rows/task.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { isJsonObject, type Sha256 } from '../../../core/kernel/json/json.ts'
import { exportClassifier } from '../../../core/model/export/classifier/export-classifier.ts'
import { exportTabular } from '../../../core/model/export/tabular/export-tabular.ts'
import type { ExportFile } from '../../../core/model/export/export-file.ts'
import { chooseExport, EXPORT_PARTS, isWrittenTarget, type ExportChoice } from '../../../core/model/export/targets.ts'
import type { ExportTask } from '../../../core/model/export/thread/export-task.ts'
import { runExport } from '../../../core/model/export/thread/run-export.ts'
import { ADAPTER_FILES } from '../../../core/model/files/adapter-files.ts'
import { findBase } from '../../../core/model/files/find-base.ts'
import type { Artifact } from '../../../db/compile/artifacts/artifact.ts'
import { getBlob, readBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { ExportJob } from '../../../db/compile/exports/export-job.ts'
import type { ExportDeps } from './deps.ts'

/** One conversion. */
export interface Conversion {
  readonly job: ExportJob
  readonly artifact: Artifact
  readonly signal: AbortSignal
}

/** Size limit of an archive, bytes: adapters of large bases have several hundred million. */
const MOST_ARCHIVE_BYTES = 2 ** 30

/**
 * Passes the file of a conversion to `take` while it is made. Verifies the archive before using anything in it. Throws
 * `export_not_applicable` when the artifact has no weights that the format could hold.
 */
export async function convertArtifact<T>(
  deps: ExportDeps,
  conversion: Conversion,
  take: (file: ExportFile) => Promise<T>,
): Promise<T> {
  const { job, artifact, signal } = conversion
  const archiveSha256 = asDigest(artifact.archiveSha256)
  if (job.target === 'svc') {
    const pieces = () => readBlob(deps.db, archiveSha256)
    return await take({ fileName: `${artifact.id}.svc`, mediaType: 'application/zip', pieces })
  }
  const archive = await loadArchive(await getBlob(deps.db, archiveSha256, MOST_ARCHIVE_BYTES))
  if (artifact.recipeKind === 'classifier' && job.target === 'onnx')
    return await take(classifierFile(artifact, archive))
  if (artifact.recipeKind === 'tabular' && job.target === 'onnx') return await take(tabularFile(artifact, archive))
  const choice = choiceOf(job)
  if (artifact.recipeKind === 'lora' && choice !== undefined) {
    return await runExport(await adapterTask(deps, artifact, archive, choice), signal, take)
  }
  if (artifact.recipeKind === 'composite') {
    throw MODEL_ERRORS.export_not_applicable(
      `the artifact is a composite recipe: its leaves are recipes of several kinds, which no file of ${job.target} could hold`,
    )
  }
  throw MODEL_ERRORS.export_not_applicable(
    `the artifact is a ${nounOf(artifact.recipeKind)}: it has no weights that ${job.target} could hold`,
  )
}

function classifierFile(artifact: Artifact, archive: LoadedArchive): ExportFile {
  const { recipe, members } = archive.content
  const weights = members.get('weights.bin')
  if (recipe.kind !== 'classifier' || weights === undefined || !isJsonObject(recipe.classifier)) {
    throw COMPILE_ERRORS.invalid_archive('the archive holds no classifier')
  }
  return exportClassifier({
    name: artifact.id,
    artifactId: artifact.id,
    cid: artifact.cid,
    recipe: recipe.classifier,
    weights,
  })
}

function tabularFile({ id, cid }: Artifact, archive: LoadedArchive): ExportFile {
  const { recipe, members } = archive.content
  const weights = members.get('weights.bin')
  if (recipe.kind !== 'tabular' || weights === undefined)
    throw COMPILE_ERRORS.invalid_archive('the archive holds no tabular model')
  return exportTabular({ name: id, artifactId: id, cid, recipe: recipe.tabular, weights })
}

function choiceOf({ target, quant, part }: ExportJob): ExportChoice | undefined {
  const wanted = EXPORT_PARTS.find((each) => each === part)
  return wanted === undefined || !isWrittenTarget(target) ? undefined : chooseExport(target, quant ?? null, wanted)
}

async function adapterTask(
  deps: ExportDeps,
  artifact: Artifact,
  archive: LoadedArchive,
  choice: ExportChoice,
): Promise<ExportTask> {
  const { recipe, members } = archive.content
  const adapterFiles = new Map(
    ADAPTER_FILES.flatMap((name) => {
      const bytes = members.get(name)
      return bytes === undefined ? [] : [[name, bytes] as const]
    }),
  )
  if (recipe.kind !== 'lora' || adapterFiles.size !== ADAPTER_FILES.length) {
    throw COMPILE_ERRORS.invalid_archive('the archive holds no adapter')
  }
  const { name, weights_hash: baseWeightsHash } = recipe.lora.base
  return {
    directory: await findBase(name, deps.baseFolders),
    adapterFiles,
    origin: { name: artifact.id, artifactId: artifact.id, cid: artifact.cid, baseModel: name, baseWeightsHash },
    choice,
  }
}

function asDigest(text: string): Sha256 {
  return `sha256:${text.replace(/^sha256:/, '')}`
}
