//! Constants and structs that Rust shares with shaders: declared in Rust, generated as WGSL.

use glam::{Mat4, UVec4, Vec2, Vec3, Vec4};
use mapscope_scene::model::skeleton::SkinMatrix;
use mapscope_scene::terrain::pack::Bits;

/// A value that can be a shader constant.
pub(crate) trait Constant {
    /// Its WGSL type.
    fn type_name() -> String;

    /// The value as a WGSL expression.
    fn literal(&self) -> String;
}

macro_rules! number_constants {
    ($($rust:ident $format:literal),+) => {
        $(impl Constant for $rust {
            fn type_name() -> String {
                stringify!($rust).to_owned()
            }

            fn literal(&self) -> String {
                format!($format, self)
            }
        })+
    };
}

number_constants!(f32 "{:?}f", u32 "{}u", i32 "{}i");

macro_rules! vector_constants {
    ($($rust:ident $wgsl:literal),+) => {
        $(impl Constant for $rust {
            fn type_name() -> String {
                $wgsl.to_owned()
            }

            fn literal(&self) -> String {
                let numbers: Vec<String> = self.to_array().iter().map(Constant::literal).collect();
                format!("{}({})", $wgsl, numbers.join(", "))
            }
        })+
    };
}

vector_constants!(Vec2 "vec2f", Vec3 "vec3f");

impl<T: Constant, const N: usize> Constant for [T; N] {
    fn type_name() -> String {
        format!("array<{}, {N}>", T::type_name())
    }

    fn literal(&self) -> String {
        let values: Vec<String> = self.iter().map(Constant::literal).collect();
        format!("{}({})", Self::type_name(), values.join(", "))
    }
}

/// Declares a constant.
pub(crate) fn constant<T: Constant>(name: &str, value: &T) -> String {
    format!("const {name}: {} = {};\n", T::type_name(), value.literal())
}

/// Declares constants from a list of names and values.
macro_rules! constants {
    ($($name:ident = $value:expr),+ $(,)?) => {
        [$($crate::gpu::wgsl::constant(stringify!($name), &$value)),+].concat()
    };
}

/// Declares a function that extracts a bit field from a word.
pub(crate) fn bits(name: &str, bits: Bits) -> String {
    let (at, mask) = (bits.at, bits.mask());
    format!("fn {name}_bits(word: u32) -> u32 {{ return (word >> {at}u) & {mask}u; }}\n")
}

/// Declares the numbers of an enum's variants, such as `SURFACE_UV_CHECKER`.
pub(crate) fn variants(prefix: &str, names: &[&str]) -> String {
    let declare = |(name, number): (&&str, u32)| {
        let mut upper = prefix.to_owned();
        for letter in name.chars() {
            if letter.is_ascii_uppercase() {
                upper.push('_');
            }
            upper.push(letter.to_ascii_uppercase());
        }
        constant(&upper, &number)
    };
    names.iter().zip(0..).map(declare).collect()
}

/// Defines an enum and the WGSL constants of its variants.
macro_rules! shader_enum {
    (
        $prefix:literal
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident),+ $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $($(#[$variant_meta])* $variant),+ }

        impl $name {
            /// Declares the variants as constants.
            pub(crate) fn wgsl() -> String {
                $crate::gpu::wgsl::variants($prefix, &[$(stringify!($variant)),+])
            }
        }
    };
}

/// A type with the same layout in Rust and in WGSL buffers.
pub(crate) trait Member: bytemuck::Pod {
    /// Its WGSL type.
    const TYPE: &'static str;
    /// Its WGSL alignment.
    const ALIGN: usize;
}

macro_rules! members {
    ($($rust:ty => $wgsl:literal, $align:literal;)+) => {
        $(impl Member for $rust {
            const TYPE: &'static str = $wgsl;
            const ALIGN: usize = $align;
        })+
    };
}

members! {
    f32 => "f32", 4;
    u32 => "u32", 4;
    i32 => "i32", 4;
    Vec2 => "vec2f", 8;
    [f32; 2] => "vec2f", 8;
    [i32; 2] => "vec2i", 8;
    [u32; 2] => "vec2u", 8;
    Vec4 => "vec4f", 16;
    [f32; 4] => "vec4f", 16;
    [u32; 4] => "vec4u", 16;
    Mat4 => "mat4x4f", 16;
    SkinMatrix => "Affine", 16;
    [Vec4; 5] => "array<vec4f, 5>", 16;
    [UVec4; 16] => "array<vec4u, 16>", 16;
    [f32; 3] => "array<f32, 3>", 4;
    [[f32; 3]; 2] => "array<array<f32, 3>, 2>", 4;
    [[f32; 4]; 3] => "array<vec4f, 3>", 16;
    [f32; 25] => "array<f32, 25>", 4;
    [u32; 25] => "array<u32, 25>", 4;
    [[u32; 2]; 4] => "array<vec2u, 4>", 8;
    [[i32; 2]; 4] => "array<vec2i, 4>", 8;
}

/// Defines a struct and its WGSL declaration. `padding` fills it up to its size in WGSL; other gaps
/// are rejected.
macro_rules! shader_struct {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[$member_meta:meta])* $member_vis:vis $member:ident: $type:ty,)+
        }
        $(padding: $padding:ty)?
    ) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        $vis struct $name {
            $($(#[$member_meta])* $member_vis $member: $type,)+
            $($vis padding: $padding,)?
        }

        impl $name {
            /// Declares the struct.
            pub(crate) fn wgsl() -> String {
                let members = [
                    $([stringify!($member), <$type as $crate::gpu::wgsl::Member>::TYPE]),+
                ];
                $crate::gpu::wgsl::declared_struct(stringify!($name), &members)
            }
        }

        $crate::gpu::wgsl::check_layout! { $name { $($member: $type,)+ } }
    };
}

/// Defines a function that declares a struct of another crate in WGSL.
macro_rules! declare_struct {
    (
        $(#[$meta:meta])*
        fn $function:ident: $name:ident as $wgsl:literal { $($member:ident: $type:ty,)+ }
    ) => {
        $(#[$meta])*
        fn $function() -> String {
            let members = [$([stringify!($member), <$type as $crate::gpu::wgsl::Member>::TYPE]),+];
            $crate::gpu::wgsl::declared_struct($wgsl, &members)
        }

        $crate::gpu::wgsl::check_layout! { $name { $($member: $type,)+ } }
    };
}

/// Checks that a struct has its WGSL layout.
macro_rules! check_layout {
    ($name:ident { $($member:ident: $type:ty,)+ }) => {
        const _: () = {
            let mut end = 0_usize;
            let mut align = 4;
            $(
                let of_member = <$type as $crate::gpu::wgsl::Member>::ALIGN;
                let offset = end.next_multiple_of(of_member);
                assert!(offset == std::mem::offset_of!($name, $member), "WGSL has a gap");
                end = offset + size_of::<$type>();
                align = if of_member > align { of_member } else { align };
            )+
            assert!(end.next_multiple_of(align) == size_of::<$name>(), "WGSL has padding");
        };
    };
}

/// Declares a struct from the names and types of its members.
pub(crate) fn declared_struct(name: &str, members: &[[&str; 2]]) -> String {
    let line = |[name, type_name]: &[&str; 2]| format!("    {name}: {type_name},\n");
    let lines: String = members.iter().map(line).collect();
    format!("struct {name} {{\n{lines}}}\n")
}

pub(crate) use {check_layout, constants, declare_struct, shader_enum, shader_struct};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_written_as_wgsl() {
        let text = constants! {
            SIDE = 8.0_f32,
            LEVEL = -1_i32,
            COLORS = [Vec3::new(0.62, 1.0, 1e-5); 1],
        };
        let expected = "const SIDE: f32 = 8.0f;\n\
            const LEVEL: i32 = -1i;\n\
            const COLORS: array<vec3f, 1> = array<vec3f, 1>(vec3f(0.62f, 1.0f, 1e-5f));\n";
        assert_eq!(text, expected);
        assert_eq!(
            variants("SURFACE", &["Lit", "UvChecker"]),
            "const SURFACE_LIT: u32 = 0u;\nconst SURFACE_UV_CHECKER: u32 = 1u;\n"
        );
    }
}
