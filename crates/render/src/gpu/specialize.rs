//! Specialises shaders for single pipelines.
//!
//! Pipeline constants switch parts of a shader off. Drivers remove dead code, but only after
//! parsing and inlining everything, which takes most of the time of creating a pipeline. So the
//! dead code is removed before.

use std::borrow::Cow;

use wgpu::naga::back::pipeline_constants::process_overrides;
use wgpu::naga::compact::{KeepUnused, compact};
use wgpu::naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use wgpu::naga::{
    Arena, BinaryOperator, Block, Constant, Expression, Function, Handle, Literal, Module,
    ShaderStage, Statement, UnaryOperator, front,
};

use super::Shader;

/// The source of a shader's entry points.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// Parsed, to be specialised.
    Read(Box<(Module, ModuleInfo)>),
    /// Unchanged: a shader that does not compile (while it is edited), so that the device reports
    /// the error.
    Whole(wgpu::ShaderModule),
}

/// A shader with one entry point, and the constants that remain.
pub(crate) struct Stage<'a> {
    pub(crate) module: wgpu::ShaderModule,
    constants: &'a [(&'a str, f64)],
}

impl Stage<'_> {
    pub(crate) fn compilation_options(&self) -> wgpu::PipelineCompilationOptions<'_> {
        wgpu::PipelineCompilationOptions {
            constants: self.constants,
            // Every variable is written before it is read.
            zero_initialize_workgroup_memory: false,
        }
    }
}

impl Source {
    /// Parses a shader.
    pub(crate) fn new(device: &wgpu::Device, shader: &Shader) -> Self {
        read(&shader.source()).map_or_else(
            || Self::Whole(shader.module(device)),
            |read| Self::Read(Box::new(read)),
        )
    }

    /// Specialises an entry point for the values of constants.
    pub(crate) fn stage<'a>(
        &self,
        device: &wgpu::Device,
        stage: ShaderStage,
        entry_point: &str,
        constants: &'a [(&'a str, f64)],
    ) -> Stage<'a> {
        match self {
            Self::Whole(module) => Stage {
                module: module.clone(),
                constants,
            },
            Self::Read(read) => {
                let (module, info) = &**read;
                let cut = specialized(module, info, (stage, entry_point), constants);
                let (module, constants) = match cut {
                    Some(cut) => (cut, &[][..]),
                    None => (module.clone(), constants),
                };
                let source = wgpu::ShaderSource::Naga(Cow::Owned(module));
                let label = Some(entry_point);
                let descriptor = wgpu::ShaderModuleDescriptor { label, source };
                Stage {
                    module: device.create_shader_module(descriptor),
                    constants,
                }
            }
        }
    }
}

fn read(source: &str) -> Option<(Module, ModuleInfo)> {
    let module = front::wgsl::parse_str(source).ok()?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::default());
    let info = validator.validate(&module).ok()?;
    Some((module, info))
}

/// Removes everything that an entry point does not use with these values of constants; `None` if a
/// constant does not exist.
fn specialized(
    module: &Module,
    info: &ModuleInfo,
    entry_point: (ShaderStage, &str),
    constants: &[(&str, f64)],
) -> Option<Module> {
    let constants = constants
        .iter()
        .map(|(name, value)| ((*name).to_owned(), *value))
        .collect();
    let processed = process_overrides(module, info, Some(entry_point), &constants);
    let mut module = processed.ok()?.0.into_owned();
    let entry_points = module.entry_points.iter_mut();
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    for function in functions.chain(entry_points.map(|entry_point| &mut entry_point.function)) {
        // Named expressions are never removed.
        function.named_expressions.clear();
        let Function {
            body, expressions, ..
        } = function;
        let known = ConstantValues {
            expressions,
            constants: &module.constants,
            global_expressions: &module.global_expressions,
        };
        *body = known.reachable(std::mem::take(body));
    }
    compact(&mut module, KeepUnused::No);
    Some(module)
}

/// The constant values in a function.
struct ConstantValues<'a> {
    expressions: &'a Arena<Expression>,
    constants: &'a Arena<Constant>,
    global_expressions: &'a Arena<Expression>,
}

impl ConstantValues<'_> {
    /// The value of a condition, if it is constant.
    fn value(&self, condition: Handle<Expression>) -> Option<bool> {
        match &self.expressions[condition] {
            Expression::Literal(Literal::Bool(value)) => Some(*value),
            Expression::Constant(constant) => {
                match &self.global_expressions[self.constants[*constant].init] {
                    Expression::Literal(Literal::Bool(value)) => Some(*value),
                    _ => None,
                }
            }
            Expression::Unary {
                op: UnaryOperator::LogicalNot,
                expr,
            } => Some(!self.value(*expr)?),
            Expression::Binary { op, left, right } => {
                let ends = match op {
                    BinaryOperator::LogicalAnd => false,
                    BinaryOperator::LogicalOr => true,
                    _ => return None,
                };
                match [self.value(*left), self.value(*right)] {
                    [Some(value), _] | [_, Some(value)] if value == ends => Some(ends),
                    [Some(_), Some(_)] => Some(!ends),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The reachable statements of a block.
    fn reachable(&self, block: Block) -> Block {
        let mut reachable = Block::new();
        for (statement, span) in block.span_into_iter() {
            let statement = match statement {
                Statement::If {
                    condition,
                    accept,
                    reject,
                } => match self.value(condition) {
                    Some(value) => {
                        let taken = if value { accept } else { reject };
                        reachable.extend_block(self.reachable(taken));
                        None
                    }
                    None => Some(Statement::If {
                        condition,
                        accept: self.reachable(accept),
                        reject: self.reachable(reject),
                    }),
                },
                Statement::Block(block) => Some(Statement::Block(self.reachable(block))),
                Statement::Switch {
                    selector,
                    mut cases,
                } => {
                    for case in &mut cases {
                        case.body = self.reachable(std::mem::take(&mut case.body));
                    }
                    Some(Statement::Switch { selector, cases })
                }
                Statement::Loop {
                    body,
                    continuing,
                    break_if,
                } => Some(Statement::Loop {
                    body: self.reachable(body),
                    continuing: self.reachable(continuing),
                    break_if,
                }),
                other => Some(other),
            };
            reachable.extend(statement.map(|statement| (statement, span)));
            if reachable.last().is_some_and(Statement::is_terminator) {
                break;
            }
        }
        reachable
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::terrain::SHADER;

    /// The names of the remaining functions.
    fn functions(module: &Module) -> Vec<&str> {
        let functions = module.functions.iter();
        functions
            .filter_map(|(_, function)| function.name.as_deref())
            .collect()
    }

    fn fragment(source: &str, constants: &[(&str, f64)]) -> Module {
        let (module, info) = read(source).unwrap();
        let cut = specialized(&module, &info, (ShaderStage::Fragment, "main"), constants).unwrap();
        Validator::new(ValidationFlags::all(), Capabilities::default())
            .validate(&cut)
            .unwrap();
        cut
    }

    #[test]
    fn what_is_switched_off_is_left_out() {
        let source = "
            override ON: bool = false;
            override ALSO: bool = false;
            fn early(x: f32) -> f32 { if !ON { return x; } return late(x); }
            fn late(x: f32) -> f32 { return x * 2.0; }
            fn both(x: f32) -> f32 { if ON && ALSO { return x + 1.0; } else { return x; } }
            fn looped(x: f32) -> f32 {
                var sum = 0.0;
                for (var i = 0; i < 3; i++) {
                    if ON { sum += of_loop(x); }
                    switch i { case 1: { if ALSO { sum += of_case(x); } } default: {} }
                }
                return sum;
            }
            fn of_loop(x: f32) -> f32 { return x * 3.0; }
            fn of_case(x: f32) -> f32 { return x * 4.0; }
            fn unknown(x: f32) -> f32 { if x > 1.0 { return 1.0; } return x; }
            @fragment fn main(@location(0) x: f32) -> @location(0) vec4f {
                return vec4f(early(x), both(x), looped(x), unknown(x));
            }
            @fragment fn other() -> @location(0) vec4f { return vec4f(0.0); }
        ";
        let off = fragment(source, &[]);
        assert_eq!(functions(&off), ["early", "both", "looped", "unknown"]);
        assert_eq!(off.entry_points.len(), 1);
        let on = fragment(source, &[("ON", 1.0), ("ALSO", 1.0)]);
        let all = [
            "late", "early", "both", "of_loop", "of_case", "looped", "unknown",
        ];
        let mut left = functions(&on);
        left.sort_unstable();
        let mut all = all.to_vec();
        all.sort_unstable();
        assert_eq!(left, all);
    }

    #[test]
    fn terrain_without_overlays_has_no_code_for_them() {
        let (module, info) = read(&SHADER.source()).unwrap();
        let plain = |inspect: f64| {
            let constants = [("INSPECT", inspect)];
            let entry_point = (ShaderStage::Fragment, "fs_top");
            specialized(&module, &info, entry_point, &constants).unwrap()
        };
        let has_overlays = |module: &Module| functions(module).contains(&"overlay_color");
        assert!(!has_overlays(&plain(0.0)));
        assert!(has_overlays(&plain(1.0)));
    }

    #[test]
    fn unknown_constants_leave_it_to_the_device_to_complain() {
        let (module, info) = read("@fragment fn main() {}").unwrap();
        let constants = [("NONE", 1.0)];
        let entry_point = (ShaderStage::Fragment, "main");
        assert!(specialized(&module, &info, entry_point, &constants).is_none());
        assert!(read("fn broken(").is_none());
    }
}
