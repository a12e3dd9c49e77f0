/** How an author writes a resource down: its URI or template, what it is called, and the code that reads it. */
import type { Annotations, CacheHint, Icon, StandardSchemaV1 } from '@modelcontextprotocol/server';
import type { ReadContext } from '../resource.js';

/** One variable of a template. */
export interface Variable<Output = unknown> {
  /** Checks the decoded value, and may turn it into what the reader is given. Default: letters, digits and `-_.~`. */
  readonly schema?: StandardSchemaV1<unknown, Output>;
  /** Values for a model to try first. */
  readonly examples?: readonly string[];
  /** Possible values: a list, or a function of what was typed so far. */
  readonly complete?: readonly string[] | ((typed: string, context: ReadContext) => readonly string[] | Promise<readonly string[]>);
  /** Whether a URI without it is refused. Default: as the template's operator has it. */
  readonly required?: boolean;
}

/** The names in a template, such as `'id' | 'page'` for `docs://{id}{?page}`. */
export type VariableNames<Uri extends string> = Uri extends `${string}{${infer Expression}}${infer Rest}`
  ? NamesOf<Expression extends `${'+' | '#' | '.' | '/' | ';' | '?' | '&'}${infer List}` ? List : Expression> | VariableNames<Rest>
  : never;
type NamesOf<List extends string> = List extends `${infer First},${infer Rest}` ? NameOf<First> | NamesOf<Rest> : NameOf<List>;
type NameOf<Spec extends string> = Spec extends `${infer Name}*` ? Name : Spec extends `${infer Name}:${string}` ? Name : Spec;

/** The optional operators leave a variable out. */
type OptionalNames<Uri extends string> = Uri extends `${string}{${infer Expression}}${infer Rest}`
  ? (Expression extends `${'#' | '.' | '/' | ';' | '?' | '&'}${infer List}` ? NamesOf<List> : never) | OptionalNames<Rest>
  : never;

export type Variables<Uri extends string> = { readonly [Name in VariableNames<Uri>]?: Variable };

/** From the variable's name to the reader's, where they differ. */
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

/** What the reader is given: each variable as its schema types it, under the name that `parameters` gives it. */
export type Parameters<Uri extends string, Spec, Map> = {
  readonly [Name in VariableNames<Uri> as ParameterName<Map, Name>]: IsOptional<Uri, Spec, Name> extends true
    ? OutputOf<Spec, Name> | undefined
    : OutputOf<Spec, Name>;
};

/** What is said of a resource whatever its URI. */
export interface ResourceDescription {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Default: the scheme of the URI. */
  readonly category?: string;
  /** Whether only an admin may read it. Default false. */
  readonly requiresAdmin?: boolean;
  /** Default: by what the reader returns. */
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly icons?: Icon[];
  readonly _meta?: Record<string, unknown>;
  /** How long the reader may take. Default 10 s. */
  readonly timeoutMs?: number;
  /** How large the content may be. Default 16 MiB. */
  readonly maxBytes?: number;
  /** Keeps the content for `ttlMs`: for the same caller, or for all where `cacheScope` is `public`. Default: it is not kept. */
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
   * Gives the content: a text, bytes, `{ contents: [...] }` as the protocol has it, or any other value, which becomes JSON.
   * For a template, undefined says that there is nothing at this URI.
   */
  read(parameters: Parameters<Uri, Spec, Map>, context: ReadContext): unknown;
}

/** A definition whose variables the types have let go of. */
export interface AnyDefinition extends ResourceDescription {
  readonly uri: string;
  readonly variables?: Readonly<Record<string, Variable | undefined>>;
  readonly parameters?: Readonly<Record<string, string | undefined>>;
  read(parameters: Readonly<Record<string, unknown>>, context: ReadContext): unknown;
}

/** Writes one resource down; the types of the reader's parameters come from the template and the schemas. */
export function defineResource<
  const Uri extends string,
  const Spec extends Variables<Uri> = Record<never, never>,
  const Map extends Renaming<Uri> = Record<never, never>,
>(definition: ResourceDefinition<Uri, Spec, Map>): AnyDefinition {
  const { read } = definition;
  // The values were checked against the very schemas that these types come from.
  return { ...definition, read: (parameters, context) => read(parameters as Parameters<Uri, Spec, Map>, context) };
}
