import type { z } from 'zod'
import type { RateLimitRule } from './guard/rate-limits.ts'
import type { ErrorShape } from './reply/error-shape.ts'
import type { JsonAnswer, RawAnswer } from './reply/answers.ts'
import type { ErrorAnswer, ErrorPage } from './reply/errors.ts'
import type { RawReply } from './reply/raw-reply.ts'
import { validateInput, type ParsedInput } from './request/validate.ts'
import { createSchemas, type RouteSchemas, type Schema } from './request/route-schemas.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { LimitName, Limits } from '../../core/limits.ts'
import type { Scope } from '../../core/scopes.ts'
import type { AuthKind, Bound, CallFactsOf, CallOf, RawInput } from './request/call.ts'
import type { KernelServices } from './services.ts'

/**
 * The rights of a key that is bound to namespaces on a route. `bounded`: it reads and writes within these, and what lies
 * outside is not found. `refused`: the route is about the whole tenant. `none: …`: there is nothing to bound, and why.
 */
export type NamespaceRule = 'bounded' | 'refused' | `none: ${string}`

/** A route that takes a tenant's key says how it bounds keys that are bound to namespaces. */
type NamespacePart<A extends AuthKind> = A extends 'key' | 'optional' ? { readonly namespace: NamespaceRule } : unknown

/** The kind of data that a route stores, see `RouteDeclaration.stores`. */
export type StoreRule = 'blobs' | 'records' | 'bounded'

/** A route whose method takes a body says what it stores. */
type StoresPart<M extends Method> = M extends 'get' | 'delete' ? unknown : { readonly stores: StoreRule }

/** The kernel compares a repeated call by its JSON, so a route of raw bytes settles its keys in its handler, or takes none. */
type KeyedPart = { readonly rawBody?: never } | { readonly idempotency?: 'handler' }

/** The methods of routes. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Headers of a reply; a list becomes one line for each entry. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>

/** The answers of a route by status: JSON by a schema, or bytes of a declared media type. */
export type Answers = { readonly [status: number]: JsonAnswer | RawAnswer }

/** The return value of a handler: one of the declared statuses with the body of its schema. */
export type ReplyOf<R extends Answers> = {
  [S in keyof R & number]: R[S] extends { readonly isStreamed: true }
    ? { readonly status: S; readonly raw: RawReply['raw']; readonly headers?: ReplyHeaders }
    : R[S] extends JsonAnswer<infer T>
      ?
          | { readonly status: S; readonly body: z.input<T>; readonly headers?: ReplyHeaders }
          | (R[S] extends { readonly orMediaType: string }
              ? { readonly status: S; readonly raw: RawReply['raw']; readonly headers?: ReplyHeaders }
              : never)
      : R[S] extends RawAnswer
        ? { readonly status: S; readonly raw: RawReply['raw']; readonly headers?: ReplyHeaders }
        : never
}[keyof R & number]

/** Names of the limits that an area reads. */
type NamesOf<S extends KernelServices> = Extract<keyof S['limits'], LimitName>

/** One declaration of a route: binding, guard, validation, reference page and contract test come from it. */
export interface RouteDeclaration<
  A extends AuthKind,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodType,
  R extends Answers,
  S extends KernelServices,
  C extends ErrorCode,
  N extends Scope,
> {
  readonly method: Method
  /** OpenAPI form: `/v1/compile/{id}`. Matched exactly: letter case, slashes and all. */
  readonly path: `/${string}`
  readonly operationId: string
  readonly group: string
  readonly summary: string
  readonly description?: string | ((limits: S['limits']) => string)
  readonly auth: A
  /** The scope that the key needs; required for every route that takes a tenant's key. */
  readonly scope: A extends 'public' | 'admin' | 'scim' ? undefined : N
  /** Scopes of which each does as well as `scope`. */
  readonly orScopes?: readonly N[]
  /** Asked of every route that takes a tenant's key, see `NamespacePart`. */
  readonly namespace?: NamespaceRule
  readonly limit?: RateLimitRule<NamesOf<S>>
  /** For a GET without input that answers all callers the same: how long one answer may serve them, seconds. */
  readonly keptForS?: number
  /** True when the answer sets or clears the session cookie: then pages of other origins may not call the route. */
  readonly setsCookie?: boolean
  /** True for an `optional` route whose callers may send their key at a provider where other routes take ours. */
  readonly passesForeignKeys?: A extends 'optional' ? boolean : never
  /** The limit that bounds the JSON body; when absent `json_body_bytes`, and `public_body_bytes` of public routes. */
  readonly bodyLimit?: NamesOf<S>
  /** The limit that bounds members and entries of it; `json_parts` and `public_json_parts` when absent. */
  readonly partsLimit?: NamesOf<S>
  /** Members of the body that may be long lists: of a large body they stay bytes (`HeldRows`), bound by `inline_body_parts`. */
  readonly longLists?: readonly string[]
  /** The body reaches the handler byte by byte, up to this limit and whatever its media type; `body` is `RawBytes`. */
  readonly rawBody?: NamesOf<S>
  /** The body may also be `application/x-www-form-urlencoded`: an object of texts for the same schema. */
  readonly form?: true
  /** The form of errors where it is not that of the service. */
  readonly errorShape?: ErrorShape
  /** Shows an error to a browser that asks for a page; other callers get JSON. */
  readonly errorPage?: (error: ErrorAnswer) => ErrorPage
  /** True when a call with the header `Idempotency-Key` is answered once: the first answer is given again. */
  readonly idempotency?: 'kernel' | 'handler'
  /**
   * Set when the route takes data in that fills the disk: `blobs` are bytes in the blob store, which count toward the
   * tenant's allowance; `records` are documents of callers in rows, which have separate bounds. Both stop while
   * storage is low. `bounded`: the route writes rows of bounded number and size. Asked of every route whose method takes a
   * body, see `StoresPart`.
   */
  readonly stores?: StoreRule
  readonly params?: P
  readonly query?: Schema<Q, S['limits']>
  readonly body?: Schema<B, S['limits']>
  /** The parts of a multipart body that the route also takes in place of JSON, as the reference page shows them. */
  readonly multipart?: z.ZodObject
  /** Codes that name a wrong field in place of `validation_failed`. */
  readonly fieldCodes?: Readonly<Record<string, C>>
  readonly answers: R
  /** Codes of errors the handler answers with, beside those that every route has. */
  readonly errors?: readonly C[]
}

/** A declaration that waits for its handler; by then its types are known, so a wrong answer does not type-check. */
export interface DeclaredRoute<
  A extends AuthKind,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends Answers,
  S extends KernelServices,
> {
  /**
   * Names what the route asks of its caller beside the scope: a role, a plan, a namespace. It runs before the handler, and
   * before the answer to a repeated call is given again. Throws what refuses the caller.
   */
  authorize(
    authorize: (call: CallOf<A, z.output<P>, z.output<Q>, z.output<B>, S>) => Promise<void>,
  ): Pick<DeclaredRoute<A, P, Q, B, R, S>, 'handle'>
  /** Completes the route. A route that takes uploads has a second handler, which reads the parts from the request. */
  handle(
    handler: (call: CallOf<A, z.output<P>, z.output<Q>, z.output<B>, S>) => Promise<ReplyOf<R>>,
    upload?: (call: CallOf<A, z.output<P>, z.output<Q>, undefined, S>) => Promise<ReplyOf<R>>,
  ): RouteOf<S>
}

/** A declared route as all areas read it: what it declares, and nothing that can be called. */
export type Route = RouteOf<never>

/** A declared route with the types of its handler folded away; it is called with the services of its area, or more. */
export interface RouteOf<S extends KernelServices> {
  readonly method: Method
  readonly path: `/${string}`
  readonly operationId: string
  readonly group: string
  readonly summary: string
  /** Of several sentences; those that name a limit name the one in force. */
  readonly description: ((limits: Limits) => string) | undefined
  readonly auth: AuthKind
  readonly scope: Scope | undefined
  readonly orScopes: readonly Scope[]
  readonly namespace: NamespaceRule | undefined
  readonly limit: RateLimitRule | undefined
  readonly keptForS: number | undefined
  readonly setsCookie: boolean
  readonly passesForeignKeys: boolean
  readonly bodyLimit: LimitName
  readonly partsLimit: LimitName
  readonly longLists: readonly string[]
  readonly rawBody: LimitName | undefined
  readonly form: boolean
  readonly errorShape: ErrorShape | undefined
  readonly errorPage: ((error: ErrorAnswer) => ErrorPage) | undefined
  readonly idempotency: 'kernel' | 'handler' | undefined
  readonly stores: 'blobs' | 'records' | undefined
  /** Ids have the same form under all limits. */
  readonly params: z.ZodObject | undefined
  /** True when the route reads a query or a body. */
  readonly takesInput: boolean
  /** Returns the schemas of the route's input under the limits in force; made once for each table of limits. */
  readonly schemas: (limits: Limits) => RouteSchemas
  readonly answers: Answers
  readonly errors: readonly ErrorCode[]
  /** Validates the input and checks what the caller may do beside the scope; absent when the scope says it all. */
  readonly authorize: ((facts: CallFactsOf<Bound<S>>, input: RawInput) => Promise<void>) | undefined
  /** Validates the input, authorizes the caller and calls the handler. Throws `DomainError`. */
  readonly invoke: (facts: CallFactsOf<Bound<S>>, input: RawInput) => Promise<RawReply>
  /** The same for a multipart body, which the handler reads from the request itself. */
  readonly invokeMultipart: ((facts: CallFactsOf<Bound<S>>, input: RawInput) => Promise<RawReply>) | undefined
}

/** A route that needs no credential has a limit per address. */
type LimitOf<A extends AuthKind, S extends KernelServices> = A extends 'public' | 'optional'
  ? { readonly limit: RateLimitRule<NamesOf<S>> }
  : unknown

/**
 * Declares routes of an area: their handlers see the services `S`, and name codes `C` and scopes `N`. Input that the
 * schemas refuse never reaches the handler; all problems are reported at once.
 */
export function routesOf<S extends KernelServices, C extends ErrorCode, N extends Scope>() {
  return <
    A extends AuthKind,
    R extends Answers,
    P extends z.ZodObject = z.ZodObject<Record<never, z.ZodType>>,
    Q extends z.ZodObject = z.ZodObject<Record<never, z.ZodType>>,
    B extends z.ZodType = z.ZodUndefined,
    M extends Method = Method,
  >(
    declaration: RouteDeclaration<A, P, Q, B, R, S, C, N> & { readonly method: M } & NamespacePart<A> &
      LimitOf<A, S> &
      StoresPart<M> &
      KeyedPart,
  ): DeclaredRoute<A, P, Q, B, R, S> => defineRoute<A, R, P, Q, B, S, C, N>(declaration)
}

function defineRoute<
  A extends AuthKind,
  R extends Answers,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodType,
  S extends KernelServices,
  C extends ErrorCode,
  N extends Scope,
>(declaration: RouteDeclaration<A, P, Q, B, R, S, C, N>): DeclaredRoute<A, P, Q, B, R, S> {
  const { params, fieldCodes, description } = declaration
  const schemas = createSchemas(declaration)
  type Typed = CallOf<A, z.output<P>, z.output<Q>, z.output<B>, S>
  const callFor = (facts: CallFactsOf<Bound<S>>, input: RawInput): Typed =>
    callOf<A, z.output<P>, z.output<Q>, z.output<B>, S>(
      facts,
      validateInput(schemas(facts.services.limits), input, fieldCodes),
    )
  const complete =
    (authorize: ((call: Typed) => Promise<void>) | undefined): DeclaredRoute<A, P, Q, B, R, S>['handle'] =>
    (handler, upload) => ({
      method: declaration.method,
      path: declaration.path,
      operationId: declaration.operationId,
      group: declaration.group,
      summary: declaration.summary,
      description: typeof description === 'string' ? () => description : description,
      auth: declaration.auth,
      scope: declaration.scope,
      orScopes: declaration.orScopes ?? [],
      namespace: declaration.namespace,
      limit: declaration.limit,
      keptForS: declaration.keptForS,
      setsCookie: declaration.setsCookie ?? false,
      passesForeignKeys: declaration.passesForeignKeys ?? false,
      bodyLimit: declaration.bodyLimit ?? (declaration.auth === 'public' ? 'public_body_bytes' : 'json_body_bytes'),
      partsLimit: declaration.partsLimit ?? (declaration.auth === 'public' ? 'public_json_parts' : 'json_parts'),
      longLists: declaration.longLists ?? [],
      rawBody: declaration.rawBody,
      form: declaration.form ?? false,
      errorShape: declaration.errorShape,
      errorPage: declaration.errorPage,
      idempotency: declaration.idempotency,
      stores: declaration.stores === 'bounded' ? undefined : declaration.stores,
      params,
      takesInput: declaration.query !== undefined || declaration.body !== undefined,
      schemas,
      answers: declaration.answers,
      errors: declaration.errors ?? [],
      authorize: authorize && (async (facts, input) => await authorize(callFor(facts, input))),
      invoke: async (facts, input) => {
        const call = callFor(facts, input)
        if (authorize) await authorize(call)
        return toRaw(await handler(call))
      },
      invokeMultipart:
        upload &&
        (async (facts, input) => {
          const { query } = schemas(facts.services.limits)
          const parsed = validateInput({ params, query, body: undefined }, { ...input, body: undefined }, fieldCodes)
          return toRaw(await upload(callOf<A, z.output<P>, z.output<Q>, undefined, S>(facts, parsed)))
        }),
    })
  return { handle: complete(undefined), authorize: (authorize) => ({ handle: complete(authorize) }) }
}

/** The guard let the call through for `A` and the schemas parsed the input: the facts hold what the type says. */
function callOf<A extends AuthKind, P, Q, B, S extends KernelServices>(
  facts: CallFactsOf<S>,
  input: ParsedInput,
): CallOf<A, P, Q, B, S> {
  const call: unknown = { ...facts, ...input }
  return call as CallOf<A, P, Q, B, S>
}

/** Forgets which declared answer a reply is; `renderJson` and `sendRaw` look it up by its status. */
function toRaw<R extends Answers>(reply: ReplyOf<R>): RawReply {
  const raw: unknown = reply
  return raw as RawReply
}
