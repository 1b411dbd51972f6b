import type { ModelChoice } from '../../../core/compile/stages/lora/fit/distil-options.ts'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { findBase, listBases } from '../../../core/model/files/find-base.ts'
import { readBaseConfig } from '../../../core/model/files/inspect-base.ts'
import { readVocabularyHash } from '../../../core/model/files/vocabulary-hash.ts'
import { findRunnableArtifact } from '../../../db/compile/artifacts/read-archive.ts'
import type { Operation } from '../../../db/kernel/operation.ts'

/** The form of the id of an artifact. */
const ARTIFACT_ID = /^cmp_[0-9a-hjkmnp-tv-z]{26}$/

/**
 * Finds the student that a request names. Throws `student_missing` with the installed bases, and for an artifact `not_found`,
 * `artifact_revoked`, `artifact_expired`, or `student_missing` when it holds no adapter.
 */
export async function findStudent(op: Operation, name: string, folders: readonly string[]): Promise<ModelChoice> {
  const found = await findModel(op, { field: 'student_path', name }, folders)
  if (found !== null) return found
  const known = await knownBases(folders)
  throw invalidField(
    'student_path',
    `names no base that is installed and no adapter artifact; installed: ${known}`,
    LEARN_ERRORS.student_missing,
  )
}

/**
 * Finds the teacher that a request names. Throws `teacher_required` without one, `teacher_logits_required` for anything that gives no
 * logits here, such as a model of a provider or an artifact without an adapter, and what `findStudent` throws for artifacts.
 */
export async function findTeacher(
  op: Operation,
  name: string | undefined,
  folders: readonly string[],
): Promise<ModelChoice> {
  if (name === undefined) throw invalidField('teacher', 'is required', LEARN_ERRORS.teacher_required)
  const found = await findModel(op, { field: 'teacher', name }, folders)
  if (found !== null) return found
  const known = await knownBases(folders)
  throw invalidField(
    'teacher',
    `gives no logits: it is neither a base that is installed nor an adapter artifact; installed: ${known}`,
    MODEL_ERRORS.teacher_logits_required,
  )
}

/** Throws `teacher_vocab_mismatch` when student and teacher do not mean the same tokens by the same ids. */
export async function requireOneVocabulary(
  student: ModelChoice,
  teacher: ModelChoice,
  folders: readonly string[],
): Promise<void> {
  if (student.base === teacher.base) return
  const [own, theirs] = await Promise.all([student, teacher].map(async ({ base }) => await vocabularyOf(base, folders)))
  if (own === theirs) return
  throw invalidField(
    'teacher',
    `has another vocabulary: that of ${teacher.base} is not that of ${student.base}`,
    MODEL_ERRORS.teacher_vocab_mismatch,
  )
}

async function vocabularyOf(base: string, folders: readonly string[]): Promise<string> {
  const directory = await findBase(base, folders)
  // Embeddings may have more rows than the tokenizer has tokens, and logits then more columns.
  const { vocabSize } = await readBaseConfig(directory)
  return `${await readVocabularyHash(directory)} ${vocabSize}`
}

async function knownBases(folders: readonly string[]): Promise<string> {
  return (await listBases(folders)).map(({ name }) => name).join(', ') || 'none'
}

/**
 * A base or an adapter on an installed base; null for everything else. Throws `not_found` for an artifact that was deleted,
 * as for none.
 */
async function findModel(
  op: Operation,
  { field, name }: { readonly field: string; readonly name: string },
  folders: readonly string[],
): Promise<ModelChoice | null> {
  const bases = (await listBases(folders)).map((base) => base.name)
  if (!ARTIFACT_ID.test(name)) return bases.includes(name) ? { base: name, artifact_id: null } : null
  const { recipeKind, baseModel } = await findAdapter(op, { field, id: name })
  if (recipeKind !== 'lora') return null
  if (bases.includes(baseModel)) return { base: baseModel, artifact_id: name }
  throw MODEL_ERRORS.unknown_base_model(`the base ${baseModel} of the artifact ${name} is not installed`)
}

async function findAdapter(op: Operation, { field, id }: { readonly field: string; readonly id: string }) {
  try {
    return await findRunnableArtifact(op, id)
  } catch (error) {
    if (!KERNEL_ERRORS.not_found.matches(error)) throw error
    throw invalidField(field, 'names no artifact, or one that was deleted', KERNEL_ERRORS.not_found, error)
  }
}
