import { z } from 'zod'
import { NAMESPACE_NAME } from '../record/asked.ts'

/** The name of a namespace. Stands apart from the settings, which load the guardrails: every command of the CLI reads a job. */
export const NamespaceName = z
  .string()
  .regex(NAMESPACE_NAME, { error: 'must be lower-case letters, digits and dashes, at most 63' })
  .meta({ description: 'Name of the namespace', example: 'support' })
