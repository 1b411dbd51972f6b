import { z } from 'zod'
import type { IdPrefix } from '../../core/ids.ts'

const BODY = '[0-9a-hjkmnp-tv-z]{26}'

/** An id of one kind. In a path anything else is an unknown id, and answers 404 as one. */
export function idOf(prefix: IdPrefix, description: string) {
  return z
    .string()
    .regex(new RegExp(`^${prefix}_${BODY}$`), { error: `is no id of the form ${prefix}_…` })
    .meta({
      description,
      example: `${prefix}_0123456789abcdefghjkmnpqrs`,
    })
}

export const JobId = idOf('cmp', 'Id of a compile job')
export const ConceptId = idOf('cpt', 'Id of a concept')
export const VersionId = idOf('ver', 'Id of a version of a concept')
export const ArtifactId = idOf('cmp', "Id of an artifact, which is its job's id")
