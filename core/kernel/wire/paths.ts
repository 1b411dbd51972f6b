import { z } from 'zod'
import { MOST_PATH_CHARS } from '../workspace/path-chars.ts'

/** A path in the workspace of the tenant. `workspacePath` says why it is refused when it is not absolute. */
export const WorkspacePath = z
  .string()
  .min(1)
  .max(MOST_PATH_CHARS)
  .meta({ override: { pattern: '^/' } })
