/** All templates. */
import type { Template } from '../template.js';
import { analytics } from './analytics.js';
import { genomics } from './genomics.js';
import { ml } from './ml.js';
import { research } from './research.js';
import { standard } from './standard.js';

export const TEMPLATES: readonly Template[] = [standard, genomics, ml, research, analytics];
