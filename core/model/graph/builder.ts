import { MICROSOFT_DOMAIN, ML_DOMAIN, writeOnnxModel } from './onnx-model.ts'
import type { Attributes, Dim, DType, Initializer, Operation, Shape, Value } from './value.ts'

/** Element type and shape of a node's output. */
export interface OutputSpec {
  readonly dtype: DType
  readonly shape: Shape
}

export interface NodeSpec {
  readonly type: string
  readonly inputs: readonly (Value | null)[]
  readonly outputs: readonly OutputSpec[]
  readonly attributes?: Attributes
  /** ONNX Runtime's own operator instead of a standard one. */
  readonly microsoft?: boolean
  /** An operator of `ai.onnx.ml`. */
  readonly ml?: boolean
  /** Depends on inputs of the graph only, and is computed when it is needed rather than before everything else. */
  readonly late?: boolean
}

/** Number of elements of a shape without symbolic dimensions. */
export function elementCount(shape: Shape): number {
  return shape.reduce<number>((count, dim) => count * staticDim(dim), 1)
}

/** The extent as a number; throws for a symbolic dimension, which only inference graphs have. */
export function staticDim(dim: Dim | undefined): number {
  if (typeof dim !== 'number') throw new Error(`A static dimension is needed, got ${dim ?? 'none'}`)
  return dim
}

function bytesOf(data: ArrayBufferView): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
}

/**
 * Collects the nodes of one ONNX graph. Shapes are inferred as nodes are added, so a wrong shape throws where it is
 * written. Operators are functions in `ops/`; `gradients` appends the backward nodes to the same graph.
 */
export class GraphBuilder {
  readonly #name: string
  readonly #late: Operation[] = []
  readonly #nodes: Operation[] = []
  readonly #backward: Operation[] = []
  readonly #gradients = new Set<Value>()
  readonly #outputNodes: Operation[] = []
  readonly #tape: Operation[] = []
  readonly #initializers: Initializer[] = []
  readonly #inputs: Value[] = []
  readonly #outputs: Value[] = []
  readonly #names = new Set<string>()
  readonly #shared = new Map<string, Value>()
  readonly #integers = new Map<Value, readonly number[]>()
  #next = 0
  #compositeDepth = 0

  constructor(name = 'graph') {
    this.#name = name
  }

  /** The tape that `gradients` walks: nodes and composites in the order in which they were added. */
  get tape(): readonly Operation[] {
    return this.#tape
  }

  get outputs(): readonly Value[] {
    return this.#outputs
  }

  #claim(name: string): string {
    if (this.#names.has(name)) throw new Error(`The graph already has a value named ${name}`)
    this.#names.add(name)
    return name
  }

  /** A value that is fed when the graph runs. */
  input(name: string, dtype: DType, shape: Shape): Value {
    const value = { name: this.#claim(name), dtype, shape }
    this.#inputs.push(value)
    return value
  }

  #initializer(name: string, spec: OutputSpec, data: Initializer['data']): Value {
    const value = { name: this.#claim(name), ...spec }
    this.#initializers.push({ value, data })
    return value
  }

  /** A named constant stored in the model; `data` holds the raw little-endian elements. */
  weight(name: string, dtype: DType, shape: Shape, data: ArrayBufferView): Value {
    return this.#initializer(name, { dtype, shape }, { bytes: bytesOf(data) })
  }

  /** A named constant stored in a file beside the model, at `offset` bytes. */
  externalWeight(
    name: string,
    spec: OutputSpec,
    data: { readonly location: string; readonly offset: number; readonly length: number },
  ): Value {
    return this.#initializer(name, spec, data)
  }

  /** A float32 constant. */
  floats(data: Float32Array, shape: Shape = [data.length]): Value {
    return this.#initializer(this.#fresh('const'), { dtype: 'float32', shape }, { bytes: bytesOf(data) })
  }

  /** A float64 scalar. */
  double(value: number): Value {
    const bytes = bytesOf(Float64Array.of(value))
    return this.#initializer(this.#fresh('const'), { dtype: 'float64', shape: [] }, { bytes })
  }

  /** A float32 scalar; equal scalars share one constant. */
  scalar(value: number): Value {
    const key = `scalar:${value}`
    const known = this.#shared.get(key)
    if (known !== undefined) return known
    const made = this.floats(Float32Array.of(value), [])
    this.#shared.set(key, made)
    return made
  }

  /** A one-dimensional int64 constant; equal ones share one constant. */
  integers(values: readonly number[]): Value {
    const key = `ints:${values.join(',')}`
    const known = this.#shared.get(key)
    if (known !== undefined) return known
    const bytes = bytesOf(BigInt64Array.from(values, BigInt))
    const made = this.#initializer(this.#fresh('const'), { dtype: 'int64', shape: [values.length] }, { bytes })
    this.#shared.set(key, made)
    this.#integers.set(made, values)
    return made
  }

  /** Returns the content of an int64 constant made by `integers`. */
  integerValues(value: Value): readonly number[] {
    const values = this.#integers.get(value)
    if (values === undefined) throw new Error(`${value.name} is not an integer constant`)
    return values
  }

  #fresh(prefix: string): string {
    let name = `${prefix}_${this.#next++}`
    while (this.#names.has(name)) name = `${prefix}_${this.#next++}`
    return name
  }

  /** Adds a node and returns its outputs. Operators in `ops/` wrap this with shape inference. */
  node(spec: NodeSpec): readonly Value[] {
    const outputs = spec.outputs.map((output) => ({ name: this.#claim(this.#fresh(spec.type)), ...output }))
    const operation: Operation = {
      type: spec.type,
      domain: spec.microsoft === true ? MICROSOFT_DOMAIN : spec.ml === true ? ML_DOMAIN : '',
      inputs: spec.inputs,
      outputs,
      attributes: spec.attributes ?? {},
    }
    if (spec.late === true) this.#late.push(operation)
    else this.#schedule(operation)
    if (this.#compositeDepth === 0) this.#tape.push(operation)
    return outputs
  }

  /**
   * Marks a value as a gradient, and with it everything that is computed from it. The runtime works through a node's
   * inputs from the last node of the file to the first, so gradients come after all other nodes: a rule's recomputation
   * of forward values then happens when its gradient exists, instead of being kept from the forward pass on. `late`
   * nodes come first for the same reason.
   */
  markGradient(value: Value): void {
    this.#gradients.add(value)
  }

  #schedule(operation: Operation): void {
    const isBackward = operation.inputs.some((input) => input !== null && this.#gradients.has(input))
    if (!isBackward) {
      this.#nodes.push(operation)
      return
    }
    this.#backward.push(operation)
    for (const output of operation.outputs) this.#gradients.add(output)
  }

  /** Adds a node with exactly one output. */
  single(spec: Omit<NodeSpec, 'outputs'>, dtype: DType, shape: Shape): Value {
    const [value] = this.node({ ...spec, outputs: [{ dtype, shape }] })
    if (value === undefined) throw new Error(`${spec.type} has no output`)
    return value
  }

  /**
   * Groups the nodes that `build` adds into one differentiable operation with its own rule. The values that `build`
   * returns become the operation's outputs; a rule may read all of them, a caller normally uses the first.
   */
  composite(
    type: string,
    inputs: readonly (Value | null)[],
    attributes: Attributes,
    build: () => readonly Value[],
  ): readonly Value[] {
    this.#compositeDepth++
    const outputs = build()
    this.#compositeDepth--
    if (this.#compositeDepth === 0) this.#tape.push({ type, domain: '', inputs, outputs, attributes })
    return outputs
  }

  /** Makes a value an output of the graph under the given name. */
  output(name: string, value: Value): Value {
    const output = { ...value, name: this.#claim(name) }
    this.#outputNodes.push({ type: 'Identity', domain: '', inputs: [value], outputs: [output], attributes: {} })
    this.#outputs.push(output)
    return output
  }

  /** The model file. */
  toBytes(): Uint8Array {
    return writeOnnxModel({
      name: this.#name,
      nodes: [...this.#late, ...this.#nodes, ...this.#backward, ...this.#outputNodes],
      initializers: this.#initializers,
      inputs: this.#inputs,
      outputs: this.#outputs,
    })
  }
}
