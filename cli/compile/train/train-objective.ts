import { stat } from 'node:fs/promises'
import { readAdapter } from '../../../core/model/files/adapter-files.ts'
import { openBaseModel } from '../../../core/model/files/base-model.ts'
import { readVocabularyHash } from '../../../core/model/files/vocabulary-hash.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import type { FitTeacher } from '../../../core/model/training/fit/fit-types.ts'
import { defaultObjective, type ObjectiveSettings } from '../../../core/model/training/objectives/objective.ts'
import { usageError } from '../../cli-error.ts'
import { readAdapterFolder } from '../model/model-folders.ts'
import type { TrainFlags } from './train-flags.ts'

/** Returns the settings of the objective of the options; an option of another objective counts nothing. */
export function objectiveOf(flags: TrainFlags): ObjectiveSettings {
  const settings = defaultObjective(flags.objective)
  const given = Object.entries(flags).filter(([name]) => name !== 'kind' && Object.hasOwn(settings, name))
  return { ...settings, ...Object.fromEntries(given) }
}

/**
 * Opens the teacher of `gkd`; undefined for other objectives. Throws `CliError` without one, `teacher_vocab_mismatch`,
 * `invalid_model`, `invalid_adapter`.
 */
export async function openTeacher(flags: TrainFlags): Promise<FitTeacher | undefined> {
  if (flags.objective !== 'gkd') return undefined
  const { teacher: folder } = flags
  if (folder === undefined) throw usageError('--teacher: the objective gkd needs the folder of a teacher')
  if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true) throw usageError(`${folder} is not a folder`)
  if ((await readVocabularyHash(folder)) !== (await readVocabularyHash(flags.base))) {
    throw MODEL_ERRORS.teacher_vocab_mismatch(`the vocabulary of ${folder} is not that of ${flags.base}`)
  }
  const { model } = await openBaseModel(folder)
  const { teacherAdapter } = flags
  const adapter =
    teacherAdapter === undefined ? null : readAdapter(await readAdapterFolder(teacherAdapter), model.config)
  return { ...model, adapter }
}
