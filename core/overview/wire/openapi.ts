import { z } from 'zod'

/** Answer of `GET /openapi.json`. */
export const GetOpenApiAnswer = z.looseObject({ openapi: z.string() })
