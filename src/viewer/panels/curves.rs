//! Curves of an item's numbers over a clip.

use std::sync::Arc;

use egui::{
    Align2, Color32, Label, Rangef, RichText, Role, Stroke, TextStyle, Ui, WidgetInfo, vec2,
};
use egui_plot::{
    AxisHints, GridInput, GridMark, HoverPosition, Line, LineStyle, Plot, PlotPoint, PlotPoints,
    VLine,
};

use super::document_key::DocumentKey;
use super::{PanelContext, PanelUi, Request, parts};
use crate::viewer::format;
use mapscope_scene::{CurveOptions, Document, Item, ModelItem, OutlineNode, Shown, fixed};

/// Minimum distance between marks of the value axis and of the frame axis, in points.
const MIN_VALUE_SPACING: f32 = 24.0;
const MIN_FRAME_SPACING: f32 = 48.0;
/// Minimum height of a plot, in points.
const MIN_HEIGHT: f32 = 48.0;
/// Maximum span of a curve that counts as level. The values above the plot have three decimals and
/// would not change.
const LEVEL_SPAN: f64 = 5e-4;
/// Margin above and below the curves, as a fraction of their height.
const MARGIN: f64 = 0.08;

/// Styles of the curves of the first joint and of further ones.
const STYLES: [fn() -> LineStyle; 3] = [
    || LineStyle::Solid,
    LineStyle::dashed_loose,
    LineStyle::dotted_loose,
];

/// Plots the curves of the selected joints over the clip. A click goes to that frame; the wheel
/// zooms this and the timeline.
#[derive(Debug, Default)]
pub struct Curves {
    of: DocumentKey,
    /// The contents of the curves.
    source: Option<CurveSource>,
    options: CurveOptions,
    groups: Vec<Group>,
    /// Names of groups that are switched off. Names stay valid when the selection changes.
    hidden: Vec<&'static str>,
    /// The frame requested by the pointer in the last window frame.
    wanted: Option<u32>,
}

/// The joints and the clip of curves.
#[derive(Debug, Clone, PartialEq)]
struct CurveSource {
    items: Vec<Item>,
    clip: usize,
    options: CurveOptions,
    /// The frame of the timeline at which the clip starts.
    start: f64,
}

/// Curves that share an axis.
#[derive(Debug)]
struct Group {
    name: &'static str,
    curves: Vec<Curve>,
    /// Minimum and maximum of the axis.
    values: [f64; 2],
}

/// A curve, prepared for drawing.
#[derive(Debug)]
struct Curve {
    name: &'static str,
    /// Index of its joint among those that are shown.
    joint: usize,
    /// Its name, with that of the joint if there are several.
    label: String,
    color: Color32,
    points: Vec<PlotPoint>,
}

impl PanelUi for Curves {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let playhead = context.shown.playhead;
        let Some(clip) = playhead.clip else {
            let advice = "In the bind pose nothing moves: choose a clip in the timeline.";
            parts::hint(ui, "No clip is shown", advice);
            return;
        };
        let Some(item) = context.shown.selected else {
            let advice = "Select a joint in the view or in the outliner to see how it moves.";
            parts::hint(ui, "No joint is selected", advice);
            return;
        };
        let start = context.timeline.clip_start;
        let other_document = self.of.changed_to(context.document);
        let source = CurveSource {
            items: std::iter::once(item)
                .chain(context.shown.also_selected.iter().copied())
                .collect(),
            clip,
            options: self.options,
            start,
        };
        if other_document || self.source.as_ref() != Some(&source) {
            self.groups = groups(context.document, &source);
            self.source = Some(source);
        }
        if self.groups.is_empty() {
            let advice = "Select a joint to see how it moves in this clip.";
            parts::hint(ui, "The selection has no curves", advice);
            return;
        }
        let frame = playhead.frame.max(0.0);
        ui.horizontal_wrapped(|ui| {
            self.switches(ui, context);
            self.values(ui, context.document, frame as usize);
        });
        let hidden = &self.hidden;
        let plotted: Vec<&Group> = self
            .groups
            .iter()
            .filter(|group| !hidden.contains(&group.name))
            .collect();
        if plotted.is_empty() {
            parts::hint(ui, "All curves are switched off", "");
            return;
        }
        let mut wanted = None;
        let frame = start + f64::from(frame);
        let window = context.timeline.frames;
        ui.columns(plotted.len(), |columns| {
            for (ui, group) in columns.iter_mut().zip(&plotted) {
                let requests = &mut *context.requests;
                wanted = group.plot(ui, frame, window, requests).or(wanted);
            }
        });
        if self.wanted != wanted {
            self.wanted = wanted;
            // The curves show the new frame only in the next window frame.
            ui.ctx().request_repaint();
        }
        if let Some(frame) = wanted {
            context.ask(Request::ShowFrame(frame.into()));
        }
    }
}

impl Curves {
    /// Shows the choice of joints, and the switches of space and form.
    fn switches(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let items = self.source.as_ref().map_or(&[][..], |it| &it.items);
        let button = ui.menu_button("Joints", |ui| {
            egui::ScrollArea::vertical().show(ui, |ui| {
                let mut joints = Vec::new();
                collect_joints(&context.document.outline(), &mut joints);
                for (item, name) in joints {
                    let mut on = items.contains(&item);
                    if ui.checkbox(&mut on, name).changed() {
                        context.ask(Request::AlsoSelect(item));
                    }
                }
            });
        });
        let help = "Show the curves of several joints, like Ctrl-click in the outliner";
        button.response.on_hover_text(help);
        ui.toggle_value(&mut self.options.is_global, "Global")
            .on_hover_text("Show poses in model space instead of relative to the parent");
        ui.toggle_value(&mut self.options.has_quaternions, "Quaternions")
            .on_hover_text("Show rotations as quaternions instead of Euler angles XYZ in degrees");
    }

    /// Shows a switch for each group with the values of its curves at a frame.
    fn values(&mut self, ui: &mut Ui, document: &Arc<dyn Document>, frame: usize) {
        let items = self.source.as_ref().map_or(&[][..], |it| &it.items);
        ui.label(
            RichText::new(format!("Frame {frame:<4}"))
                .monospace()
                .weak(),
        );
        for group in &self.groups {
            let mut on = !self.hidden.contains(&group.name);
            let switch = ui
                .toggle_value(&mut on, group.name)
                .on_hover_text(match group.name {
                    "Rotation" if !self.options.has_quaternions => {
                        "Show or hide these curves: Euler angles XYZ in degrees, Z first; continuous \
                         turns exceed 360"
                    }
                    _ => "Show or hide these curves",
                });
            if switch.changed() {
                self.hidden.retain(|name| *name != group.name);
                if !on {
                    self.hidden.push(group.name);
                }
            }
            let mut joint = None;
            for curve in &group.curves {
                if items.len() > 1 && joint.replace(curve.joint) != Some(curve.joint) {
                    let item = items.get(curve.joint);
                    ui.label(item.map_or_else(String::new, |it| joint_name(document, *it)));
                }
                let value = curve.points.get(frame).map_or(0.0, |point| point.y);
                let text = format!("{} {:<8}", curve.name, fixed(value, 3));
                let text = RichText::new(text).monospace().color(curve.color);
                ui.add(Label::new(text).extend());
            }
        }
    }
}

/// The name of a joint, as in the status bar.
fn joint_name(document: &Arc<dyn Document>, item: Item) -> String {
    let parts = document.summary(item, &Shown::default());
    let named = parts.into_iter().find(|part| part.name == "Joint");
    named.map(|part| part.value).unwrap_or_default()
}

/// Lists the joints of an outline with their names.
fn collect_joints(nodes: &[OutlineNode], joints: &mut Vec<(Item, String)>) {
    for node in nodes {
        if let Some(item @ Item::Model(ModelItem::Joint { .. })) = node.item {
            joints.push((item, node.label.clone()));
        }
        collect_joints(&node.children, joints);
    }
}

/// Returns the curves of joints in a clip, by group.
fn groups(document: &Arc<dyn Document>, source: &CurveSource) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let animation = document.animation();
    let several = source.items.len() > 1;
    let curves = source.items.iter().enumerate().flat_map(|(joint, item)| {
        let curves = animation.map_or_else(Vec::new, |animation| {
            animation.curves(*item, source.clip, source.options)
        });
        let name = several.then(|| joint_name(document, *item));
        curves
            .into_iter()
            .map(move |curve| (joint, name.clone(), curve))
    });
    for (joint, joint_name, curve) in curves {
        let [r, g, b] = curve.color;
        let values = curve.values.iter().map(|value| f64::from(*value));
        let points = (0_u32..).zip(values).map(|(frame, value)| PlotPoint {
            x: source.start + f64::from(frame),
            // Non-finite values cannot be plotted.
            y: if value.is_finite() { value } else { 0.0 },
        });
        let drawn = Curve {
            name: curve.name,
            joint,
            label: joint_name.map_or_else(
                || curve.name.to_owned(),
                |joint| [joint.as_str(), curve.name].join(" "),
            ),
            color: Color32::from_rgb(r, g, b),
            points: points.collect(),
        };
        match groups.iter_mut().find(|group| group.name == curve.group) {
            Some(group) => group.curves.push(drawn),
            None => groups.push(Group {
                name: curve.group,
                curves: vec![drawn],
                values: [0.0; 2],
            }),
        }
    }
    for group in &mut groups {
        let values = || {
            let points = group.curves.iter().flat_map(|curve| &curve.points);
            points.map(|point| point.y)
        };
        let least = values().fold(f64::INFINITY, f64::min);
        let most = values().fold(f64::NEG_INFINITY, f64::max);
        group.values = if most - least > LEVEL_SPAN {
            let margin = (most - least) * MARGIN;
            [least - margin, most + margin]
        } else if least.is_finite() {
            // A constant curve lies in the middle.
            [least - 1.0, least + 1.0]
        } else {
            [-1.0, 1.0]
        };
    }
    groups
}

/// Returns the marks of an axis at multiples of `step_size`.
fn marks(input: &GridInput, step_size: f64) -> Vec<GridMark> {
    let (first, last) = input.bounds;
    let [first, last] = [(first / step_size).ceil(), (last / step_size).floor()];
    let count = (last - first).clamp(0.0, 1000.0) as u32;
    let mark = |index: u32| GridMark {
        value: (first + f64::from(index)) * step_size,
        step_size,
    };
    (0..=count).map(mark).collect()
}

impl Group {
    /// Plots the curves with a line at the current frame, over the frames of the timeline. Returns
    /// the frame requested by the pointer.
    fn plot(
        &self,
        ui: &mut Ui,
        frame: f64,
        [first, end]: [f64; 2],
        requests: &mut Vec<Request>,
    ) -> Option<u32> {
        let [least, most] = self.values;
        let weak = ui.visuals().weak_text_color();
        let accent = ui.visuals().hyperlink_color;
        let size = vec2(ui.available_width(), ui.available_height().max(MIN_HEIGHT));
        let value_step = format::round_step((most - least) * f64::from(MIN_VALUE_SPACING / size.y));
        let frame_step = (end - first) * f64::from(MIN_FRAME_SPACING / size.x);
        let frame_step = format::round_step(frame_step).max(1.0);
        let plot = Plot::new(("curves", self.name))
            .height(size.y)
            .allow_drag(false)
            .allow_zoom(false)
            .allow_scroll(false)
            .allow_axis_zoom_drag(false)
            .allow_boxed_zoom(false)
            .allow_double_click_reset(false)
            .show_crosshair(false)
            .custom_x_axes(vec![
                AxisHints::new_x().label_spacing(Rangef::new(16.0, 24.0)),
            ])
            .custom_y_axes(vec![
                AxisHints::new_y()
                    .label_spacing(Rangef::new(11.0, 14.0))
                    .min_thickness(36.0)
                    .formatter(|mark, _| {
                        let decimals = (-mark.step_size.log10()).ceil().max(0.0) as usize;
                        fixed(mark.value, decimals)
                    }),
            ])
            .x_grid_spacer(move |input| marks(&input, frame_step))
            .y_grid_spacer(move |input| marks(&input, value_step))
            .grid_spacing(Rangef::new(8.0, 200.0))
            .label_formatter(|position| match position {
                HoverPosition::NearDataPoint {
                    plot_name,
                    position,
                    ..
                } => Some(format!(
                    "{plot_name} {}\nframe {}",
                    fixed(position.y, 3),
                    position.x
                )),
                HoverPosition::Elsewhere { .. } => None,
            });
        let shown = plot.show(ui, |plot| {
            plot.set_plot_bounds_x(first - 0.5..=end - 0.5);
            plot.set_plot_bounds_y(least..=most);
            for curve in &self.curves {
                let points = PlotPoints::Borrowed(&curve.points);
                let style = STYLES[curve.joint % STYLES.len()]();
                let line = Line::new(&curve.label, points)
                    .color(curve.color)
                    .width(1.5);
                plot.line(line.style(style).allow_hover(true));
            }
            let now = VLine::new("", frame).stroke(Stroke::new(1.5, accent));
            plot.vline(now.allow_hover(false));
        });
        let response = shown.response;
        response.widget_info(|| {
            let name = format!("{} curves", self.name);
            WidgetInfo::labeled(Role::Image, ui.is_enabled(), name)
        });
        let font = TextStyle::Small.resolve(ui.style());
        let corner = response.rect.right_top() + vec2(-6.0, 3.0);
        // Curves must not cross the name.
        let name = ui
            .painter()
            .layout_no_wrap(self.name.to_owned(), font, weak);
        let place = Align2::RIGHT_TOP.anchor_size(corner, name.size());
        let behind = ui.visuals().panel_fill;
        ui.painter().rect_filled(place.expand(2.0), 2.0, behind);
        ui.painter().galley(place.min, name, weak);
        if let Some(pointer) = response.hover_pos() {
            let at = shown.transform.value_from_position(pointer).x;
            let frames_per_point = (end - first) / f64::from(response.rect.width().max(1.0));
            // In the timeline, a frame starts at the position of its point.
            requests.extend(parts::timeline_scroll(ui, at + 0.5, frames_per_point));
        }
        let pointer = parts::held_at(&response)?;
        let at = shown.transform.value_from_position(pointer).x;
        Some(
            at.round()
                .clamp(first.ceil(), (end - 1.0).max(first.ceil())) as u32,
        )
    }
}
