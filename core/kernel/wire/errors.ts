import { z } from 'zod'

/** The body of every error answer. */
export const ErrorBody = z
  .object({
    error: z.string().meta({ description: 'The error, for people' }),
    code: z.string().meta({ description: 'The error, for programs' }),
    request_id: z.string(),
    details: z
      .looseObject({ fields: z.array(z.object({ field: z.string(), message: z.string() })).optional() })
      .optional()
      .meta({ description: 'More facts; `fields` lists every wrong field with its path' }),
  })
  .meta({ id: 'Error', description: 'Every error answer' })

/** Members of every error answer of the gateway, which is otherwise in the form of the provider's dialect. */
export const GatewayErrorBody = z.object({ error: z.object({ message: z.string() }), code: z.string() })

/** The body of every error answer of SCIM. */
export const ScimErrorBody = z
  .object({
    schemas: z.array(z.string()),
    status: z.string().meta({ description: 'The status of the answer' }),
    detail: z.string().meta({ description: 'The error, for people' }),
    scimType: z.string().optional().meta({ description: 'The problem, for programs (RFC 7644, 3.12)' }),
  })
  .meta({ id: 'ScimError', description: 'Every error answer of SCIM' })
