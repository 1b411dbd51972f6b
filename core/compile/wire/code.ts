import { z } from 'zod'
import { ArtifactId } from '../../kernel/wire/ids.ts'
import { CODE_LANGUAGES } from '../runtime/code/languages.ts'

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
