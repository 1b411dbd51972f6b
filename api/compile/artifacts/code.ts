import { z } from 'zod'
import { codeOfArchive, noCodeFor } from '../../../core/compile/runtime/code/code.ts'
import {
  CodeLanguageField,
  GetArtifactCodeAnswer,
  GetArtifactRecipeAnswer,
} from '../../../core/compile/wire/artifacts/code.ts'
import { presentRecipe } from '../../../core/compile/wire/facts/present-recipe.ts'
import { ArtifactId } from '../../../core/kernel/wire/ids.ts'
import { openArchive } from '../../../db/compile/artifacts/find-artifact.ts'
import { recordDownload } from '../../../db/compile/artifacts/record-download.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { shownContent } from '../jobs/shown-content.ts'
import { ARCHIVE_ERRORS, loadStored, readStored } from '../submit/archive.ts'

export const getArtifactCodeRoute = defineRoute({
  method: 'get',
  path: '/v1/artifacts/{id}/code',
  operationId: 'getArtifactCode',
  group: 'artifacts',
  summary: 'Show the recipe as code',
  description:
    'One function that uses only the standard library, with the task and some held-out rows as its examples. It answers as ' +
    'the recipe does; checks of the verifier and abstentions in doubt of a program are not part of it. Without an answer ' +
    'Python and TypeScript raise an exception, and SQL (a function of Postgres) gives null. Classifiers and tabular models ' +
    'come with `weights.bin`. `code_not_available` names the operator or the kind of recipe that cannot be written.',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  params: z.object({ id: ArtifactId }),
  query: z.object({ language: CodeLanguageField.default('python') }),
  answers: { 200: envelope('The code', GetArtifactCodeAnswer) },
  errors: [...ARCHIVE_ERRORS, 'code_not_available', 'invalid_archive'],
}).handle(async ({ op, params: { id }, query: { language } }) => {
  const artifact = await openArchive(op, id)
  if (artifact.recipeKind === 'lora') throw noCodeFor('lora', language)
  const { content, manifest } = await loadStored(op, artifact)
  const files = codeOfArchive(await shownContent(op, artifact, content), manifest.task, language)
  await recordDownload(op, { artifactId: artifact.id })
  return { status: 200, body: { artifact_id: artifact.id, language, files: files.map((file) => ({ ...file })) } }
})

export const getArtifactRecipeRoute = defineRoute({
  method: 'get',
  path: '/v1/artifacts/{id}/recipe',
  operationId: 'getArtifactRecipe',
  group: 'artifacts',
  summary: 'The recipe in words, and the form of its inputs',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  params: z.object({ id: ArtifactId }),
  answers: { 200: envelope('The recipe', GetArtifactRecipeAnswer) },
  errors: [...ARCHIVE_ERRORS, 'invalid_archive'],
}).handle(async ({ op, params: { id } }) => {
  const artifact = await openArchive(op, id)
  const content = await shownContent(op, artifact, await readStored(op, artifact))
  return { status: 200, body: { artifact_id: id, ...presentRecipe(content) } }
})
