import { z } from 'zod'
import { ArtifactId } from '../../../kernel/wire/ids.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { CODE_LANGUAGES } from '../../runtime/code/languages.ts'
import { RECIPE_KINDS } from '../../rows/task.ts'
import { InputForm } from '../facts/input-form.ts'
import { RecipeLines } from '../facts/recipe-lines.ts'

/** A language that code is asked for in. */
export const CodeLanguageField = z.enum(CODE_LANGUAGES).meta({ description: 'The language of the code' })

/** Answer of `GET /v1/artifacts/{id}/code`. */
export const GetArtifactCodeAnswer = z.object({
  artifact_id: ArtifactId,
  language: CodeLanguageField,
  files: z
    .array(
      z.object({
        name: z.string().meta({ description: 'Name of the file', example: 'recipe.py' }),
        content: z.string(),
        encoding: z.enum(['utf-8', 'base64']),
      }),
    )
    .meta({ description: 'The code first, then what it reads' }),
})

/** Answer of `GET /v1/artifacts/{id}/recipe`. */
export const GetArtifactRecipeAnswer = z.object({
  artifact_id: ArtifactId,
  recipe_kind: z.enum(RECIPE_KINDS),
  lines: RecipeLines.meta({ description: 'What the recipe does, line by line' }),
  code: z
    .array(
      z
        .object({
          language: CodeLanguageField,
          why_not: z
            .string()
            .nullable()
            .meta({ description: 'Why the recipe cannot be written in it; null where `GET …/code` writes it' }),
        })
        .meta({ id: 'RecipeLanguage', example: { language: 'python', why_not: null } }),
    )
    .meta({ description: 'Each language of `GET /v1/artifacts/{id}/code`' }),
  expression: z.string().nullable().meta({ description: 'Of a program: its expression in one line' }),
  input: InputForm.nullable().meta({
    description: 'The form of its inputs; null where the archive holds digests of rows',
  }),
  example: z
    .object({ id: z.string(), input: JsonValue, output: JsonValue })
    .nullable()
    .meta({ description: 'A held-out row that the recipe answered; null where the archive holds digests of rows' }),
})
