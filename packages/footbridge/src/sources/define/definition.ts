/** Definitions of resources: URI or template, description, and the code that reads them. */
import type { Annotations, CacheHint, Icon, StandardSchemaV1 } from '@modelcontextprotocol/server';
import type { ReadContext } from '../resource.js';

/** One variable of a template. */
export interface Variable<Output = unknown> {
  /** Validates the decoded value, and may transform it for the reader. Default: letters, digits and `-_.~`. */
  readonly schema?: StandardSchemaV1<unknown, Output>;
  /** Values that a model may try first. */
  readonly examples?: readonly string[];
  /** Possible values: a list, or a function of what was typed so far. */
  readonly complete?: readonly string[] | ((typed: string, context: ReadContext) => readonly string[] | Promise<readonly string[]>);
  /** Whether it is required. Default: depends on the template's operator. */
  readonly required?: boolean;
}

/** The names in a template, such as `'id' | 'page'` for `docs://{id}{?page}`. */
export type VariableNames<Uri extends string> = Uri extends `${string}{${infer Expression}}${infer Rest}`
  ? NamesOf<Expression extends `${'+' | '#' | '.' | '/' | ';' | '?' | '&'}${infer List}` ? List : Expression> | VariableNames<Rest>
  : never;
type NamesOf<List extends string> = List extends `${infer First},${infer Rest}` ? NameOf<First> | NamesOf<Rest> : NameOf<List>;
type NameOf<Spec extends string> = Spec extends `${infer Name}*` ? Name : Spec extends `${infer Name}:${string}` ? Name : Spec;

/** The names whose operator makes them optional. */
type OptionalNames<Uri extends string> = Uri extends `${string}{${infer Expression}}${infer Rest}`
  ? (Expression extends `${'#' | '.' | '/' | ';' | '?' | '&'}${infer List}` ? NamesOf<List> : never) | OptionalNames<Rest>
  : never;

export type Variables<Uri extends string> = { readonly [Name in VariableNames<Uri>]?: Variable };

/** Parameter names by variable, where they differ. */
export type Renaming<Uri extends string> = { readonly [Name in VariableNames<Uri>]?: string };

type OutputOf<Spec, Name extends string> = Name extends keyof Spec
  ? Spec[Name] extends { readonly schema: StandardSchemaV1<unknown, infer Output> }
    ? Output
    : string
  : string;
type RequiredBy<Spec, Name extends string> = Name extends keyof Spec
  ? Spec[Name] extends { readonly required: infer Required }
    ? Required
    : undefined
  : undefined;
type IsOptional<Uri extends string, Spec, Name extends string> =
  RequiredBy<Spec, Name> extends true
    ? false
    : RequiredBy<Spec, Name> extends false
      ? true
      : Name extends OptionalNames<Uri>
        ? true
        : false;
type ParameterName<Map, Name extends string> = Name extends keyof Map ? (Map[Name] extends string ? Map[Name] : Name) : Name;

/** The reader's parameters: each variable typed by its schema, named by `parameters`. */
export type Parameters<Uri extends string, Spec, Map> = {
  readonly [Name in VariableNames<Uri> as ParameterName<Map, Name>]: IsOptional<Uri, Spec, Name> extends true
    ? OutputOf<Spec, Name> | undefined
    : OutputOf<Spec, Name>;
};

/** The description of a resource. */
export interface ResourceDescription {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Default: the scheme of the URI. */
  readonly category?: string;
  /** Whether only an admin may read it. Default false. */
  readonly requiresAdmin?: boolean;
  /** Default: depends on what the reader returns. */
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly icons?: Icon[];
  readonly _meta?: Record<string, unknown>;
  /** How long the reader may take. Default 10 s. */
  readonly timeoutMs?: number;
  /** How large the content may be. Default 16 MiB. */
  readonly maxBytes?: number;
  /** Caches the content for `ttlMs`: for the same caller, or for all where `cacheScope` is `public`. Default: not cached. */
  readonly cacheHint?: CacheHint;
}

export interface ResourceDefinition<
  Uri extends string = string,
  Spec extends Variables<Uri> = Variables<Uri>,
  Map extends Renaming<Uri> = Renaming<Uri>,
> extends ResourceDescription {
  /** A URI, or an RFC 6570 template. */
  readonly uri: Uri;
  readonly variables?: Spec & Variables<Uri>;
  readonly parameters?: Map;
  /**
   * Returns the content: a string, bytes, `{ contents: [...] }` as in the protocol, or any other value, which becomes JSON.
   * For a template, undefined means not found.
   */
  read(parameters: Parameters<Uri, Spec, Map>, context: ReadContext): unknown;
}

/** A definition with its variables' types erased. */
export interface AnyDefinition extends ResourceDescription {
  readonly uri: string;
  readonly variables?: Readonly<Record<string, Variable | undefined>>;
  readonly parameters?: Readonly<Record<string, string | undefined>>;
  read(parameters: Readonly<Record<string, unknown>>, context: ReadContext): unknown;
}

/** Defines a resource; the types of the reader's parameters come from the template and the schemas. */
export function defineResource<
  const Uri extends string,
  const Spec extends Variables<Uri> = Record<never, never>,
  const Map extends Renaming<Uri> = Record<never, never>,
>(definition: ResourceDefinition<Uri, Spec, Map>): AnyDefinition {
  const { read } = definition;
  // The values were validated by the schemas that these types come from.
  return { ...definition, read: (parameters, context) => read(parameters as Parameters<Uri, Spec, Map>, context) };
}
